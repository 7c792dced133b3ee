/* Chapters 4 to 6: a text becomes a vector, and that a label. read(tokens, hand) -> { logits, weights }. */

/* Chapter 4, Att-BLSTM: h_j = →h_j + ←h_j, scores w · tanh(h_j), r = Σ α_j h_j, labels from tanh(r). */
class pooling extends Network {
  read(tokens, hand) {
    const n = this.all.w.cols, { states } = this.bothWays("", stepLSTM, tokens);
    const H = states.map((state) => add(state.subarray(0, n), state.subarray(n)));
    const weights = weigh(Float32Array.from(H, (h) => dot(tanh(h), this.all.w.data)), hand);
    return { logits: this.linear("labels", tanh(weightedSum(weights, H))), weights: [weights] };
  }
}

/* Chapter 5: A = softmax(W_s2 tanh(W_s1 H)), a row a hop; M = A H, labels from all of M. */
class structured extends Network {
  read(tokens, hand) {
    const { states } = this.bothWays("reader.encoder.", stepLSTM, tokens);
    const scores = states.map((h) => this.linear("reader.W_s2", tanh(this.linear("reader.W_s1", h)))); // source × hops
    const weights = Array.from(scores[0], (_, hop) => weigh(scores.map((row) => row[hop]), hand));
    const M = joined(...weights.map((row, hop) => weightedSum(row, states)));
    return { logits: this.lists(this.linear("classifier.3", relu(this.linear("classifier.1.layer", M)))), weights };
  }

  /* Of scores for each option of each question, those of all lists of options; a label is one. */
  lists(scores) {
    const { answers, options } = this.settings;
    let joint = [0];
    for (let q = 0; q < answers; q++) joint = joint.flatMap((sum) => [...scores.slice(q * options, (q + 1) * options)].map((s) => sum + s));
    return options ? Float32Array.from(joint) : scores;
  }
}

/* Chapter 6: words with their places attend to each other, X + softmax(QKᵀ/√d)V; each is read, the mean decides. */
class self_attention extends Network {
  read(tokens, hand) {
    const { place_dim, place_scale } = this.settings, size = hand.positions === false ? 0 : place_scale;
    const X = this.embed("words", tokens).map((x, at) => joined(x, sines(at, place_dim, 100).map((x) => size * x)));
    const [Q, K, V] = [..."qkv"].map((name) => X.map((x) => this.linear(`blocks.0.W_${name}`, x)));
    const scores = Q.map((q) => scaledScores(q, K, hand)), weights = scores.map((row) => weigh(row, hand));
    const C = weights.map((row) => weightedSum(row, V));
    const read = X.map((x, i) => relu(this.linear("reader.0", add(x, C[i]))));
    const mean = read.reduce(add).map((sum) => sum / read.length);
    return { logits: this.linear("decide", mean), weights, matrices: { X, Q, K, V, scores, weights, C } };
  }
}
