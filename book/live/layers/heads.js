/* Multi-head attention, chapter 7: query (d), cache of { key, value } a position -> out (d), weights (heads × source).
   Where keys are narrower, heads share them in groups, chapter 8. A muted head gives zeros. hand.touch sees scores,
   weights and out of each head before they are used, and may change them. */
function attend(query, heads, cache, hand) {
  const size = query.length / heads, group = query.length / cache[0].key.length, out = zeros(query.length), weights = [];
  const part = (data, head) => row({ data, cols: size }, head);
  for (let head = 0; head < heads; head++) {
    const [keys, values] = ["key", "value"].map((name) => cache.map((each) => part(each[name], Math.floor(head / group))));
    const scores = scaledScores(part(query, head), keys, hand);
    hand.touch?.("s", scores, head);
    weights.push(weigh(scores, hand));
    hand.touch?.("w", weights[head], head);
    if (!hand.off?.has(head)) weightedSum(weights[head], values, part(out, head));
    hand.touch?.("c", part(out, head), head);
  }
  return { out, weights };
}

/* Each pair of features (i, i + size / 2) of a head, turned by position / base^(2i / size): (d) -> (d), chapter 8. */
const rope = (x, position, size, base) => x.map((number, i) => {
  const half = size / 2, at = i % size, angle = position / base ** ((at % half) / half), isFirst = at < half;
  return number * Math.cos(angle) + (isFirst ? -x[i + half] : x[i - half]) * Math.sin(angle);
});
