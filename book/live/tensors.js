/* Numbers and what every layer does with them. A vector is a Float32Array; a table has rows, cols and data, row by row. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {});

  function bytes(base64) {
    const raw = atob(base64), out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out;
  }

  /* A table as it is stored: 32-bit numbers, or 8-bit numbers with one scale a row. */
  live.unpack = function (stored) {
    const { rows, cols } = stored, buffer = bytes(stored.data).buffer;
    if (!stored.scales) return { rows, cols, data: new Float32Array(buffer) };
    const small = new Int8Array(buffer), scales = new Float32Array(bytes(stored.scales).buffer);
    return { rows, cols, data: Float32Array.from(small, (number, i) => number * scales[Math.floor(i / cols)]) };
  };

  /* W x + b for the rows first … last - 1 of W: (cols) -> (last - first). */
  live.linear = function (W, b, x, first = 0, last = W.rows) {
    const out = new Float32Array(last - first);
    for (let row = first; row < last; row++) {
      let sum = b ? b.data[row] : 0;
      for (let i = 0, at = row * W.cols; i < W.cols; i++) sum += W.data[at + i] * x[i];
      out[row - first] = sum;
    }
    return out;
  };

  /* exp(score) / Σ exp(score): the largest score is taken away first, so that nothing overflows. */
  live.softmax = function (scores) {
    const most = Math.max(...scores), grown = Array.from(scores, (score) => Math.exp(score - most));
    const total = grown.reduce((sum, number) => sum + number, 0);
    return Float32Array.from(grown, (number) => number / total);
  };

  /* γ (x − mean) / √(variance + ε) + β, over the features of one position. */
  live.layerNorm = function (x, gamma, beta, epsilon = 1e-5) {
    const mean = x.reduce((sum, number) => sum + number, 0) / x.length;
    const variance = x.reduce((sum, number) => sum + (number - mean) ** 2, 0) / x.length;
    return x.map((number, i) => (gamma.data[i] * (number - mean)) / Math.sqrt(variance + epsilon) + beta.data[i]);
  };

  live.add = (x, y) => x.map((number, i) => number + y[i]);
  live.relu = (x) => x.map((number) => Math.max(0, number));
})();
