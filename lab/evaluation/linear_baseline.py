"""The linear baseline of every classifier here: TF-IDF of words and of pairs of words, logistic regression."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from lab.corpora import Document, Labelled
from lab.kinds.classification import scores

STRENGTHS = (1.0, 10.0, 100.0)  # of the fit to the training text; the best on validation is kept


@dataclass
class Linear:
    """A fitted baseline."""

    features: Any
    regression: Any
    settings: dict[str, Any]
    validation: float  # the score it was selected by

    @property
    def weights(self) -> np.ndarray:
        return self.regression.coef_

    @property
    def parameters(self) -> int:
        return self.regression.coef_.size + self.regression.intercept_.size

    def classify(self, documents: Sequence[Document]) -> list[str]:
        return self.regression.predict(self.features.transform(texts(documents))).tolist()


def texts(documents: Sequence[Document]) -> list[str]:
    """Return each document as one line, lower-cased."""
    return [" ".join(document.sentences).lower() for document in documents]


def fit(corpus: Labelled, longest: int = 2) -> Linear:
    """Fit one regression for each strength on the counts of 1 to `longest` words in a row; return the best one."""
    # A word is what stands between spaces: the corpus is cut already, and "not" and "!" are words of it.
    features = TfidfVectorizer(ngram_range=(1, longest), token_pattern=r"\S+", sublinear_tf=True, min_df=2)
    rows = features.fit_transform(texts(corpus.train))
    labels = [document.label for document in corpus.train]
    candidates = []
    for strength in STRENGTHS:
        regression = LogisticRegression(C=strength, max_iter=1000).fit(rows, labels)
        model = Linear(features, regression, {"longest": longest, "strength": strength, "min_df": 2}, 0.0)
        model.validation = scores(model.classify(corpus.validation), corpus, corpus.validation)[corpus.metric].value
        candidates.append(model)
    return max(candidates, key=lambda model: model.validation)
