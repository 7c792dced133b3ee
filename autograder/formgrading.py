"""Formgrader's page of a submission: it asks for nothing from elsewhere, and nothing of a student's acts in it."""

from jinja2 import BaseLoader, DictLoader
from traitlets import default

from autograder.pages import TEMPLATES, Page

# Formgrader puts the cursor back when MathJax says that it has ended. Our formulas are there from the start.
MATHJAX = """\
<style>.rendered_html th, .rendered_html td { padding: 0.2em 0.6em; }</style>
<script>
window.MathJax = { Hub: { Startup: { signal: { Interest: ended => setTimeout(() => ended("End")) } } } };
</script>
{% endmacro %}"""


class Sheet(Page):
    """The exporter behind formgrader's page, instead of nbconvert's own."""

    @default("extra_loaders")
    def _own_templates(self) -> list[BaseLoader]:
        macro = TEMPLATES["mathjax.html.j2"].removesuffix("{% endmacro %}") + MATHJAX
        return [DictLoader(TEMPLATES | {"mathjax.html.j2": macro})]
