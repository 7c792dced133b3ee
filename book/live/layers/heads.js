/* Multi-head attention, chapter 7: each head has a part of the features, and weights of its own. */

/* W_q x, W_k x or W_v x (part 0, 1, 2): the three matrices lie in one, (3d × d). */
const projected = (all, name, part, x) =>
  linear(all[`${name}.in_proj_weight`], all[`${name}.in_proj_bias`], x, part * x.length, (part + 1) * x.length);

const empty = () => ({ keys: [], values: [] });

/* The keys and values of one position more, in the cache: none is projected twice. */
function remember(all, name, x, cache) {
  cache.keys.push(projected(all, name, 1, x));
  cache.values.push(projected(all, name, 2, x));
  return cache;
}

/* One query x (d) to keys and values (source × d) -> out (d), weights (heads × source). A muted head gives zeros. */
function attend(all, name, heads, x, { keys, values }, hand = {}) {
  const query = projected(all, name, 0, x), size = x.length / heads, out = zeros(x.length), weights = [];
  for (let head = 0; head < heads; head++) {
    const from = head * size, to = from + size;
    weights.push(weigh(scaledScores(query, keys, hand, from, to), hand));
    if (!hand.off?.has(head)) weightedSum(weights[head], values, out, from, to);
  }
  return { out: layer(all, `${name}.out_proj`, out), weights };
}
