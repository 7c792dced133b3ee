"""A chapter's Exercises begin with links to its notebook, as students get it, and to kit.zip, which all notebooks need.

The page on how to start has the link to the kit below its heading on studying.

Both are files that `python -m autograder release` wrote and nobody has changed since: no solution that somebody wrote
into them gets onto the site. Where there are none, the page says how they are made.
"""

import os
from pathlib import Path, PurePath

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError
from sphinx.transforms import SphinxTransform

from autograder.online import services
from autograder.places import BUILD, ROOT
from autograder.release.manifest import ZIP, Manifest

EXERCISES = "exercises"  # the heading's anchor
START, STUDY = "start", "study"  # the page that links the kit alone, and its heading's anchor


def notebook(name: str) -> PurePath:
    """Return a released notebook's path in the build folder."""
    return PurePath("release", name, f"{name}.ipynb")


def released(name: str, build: Path = BUILD) -> list[PurePath]:
    """Return the notebook of a chapter and the kit, if both are there as `release` wrote them; else nothing."""
    files, manifest = [*([] if name == START else [notebook(name)]), ZIP], Manifest(build)
    is_there = all(file.as_posix() in manifest.digests and manifest.is_intact(file) for file in files)
    return files if is_there else []


def has_exercises(name: str, root: Path = ROOT) -> bool:
    return (root / "exercises" / name / "notebook.md").is_file()


class Downloads(SphinxTransform):
    """Puts the links at the head of a chapter's section on its exercises."""

    default_priority = 840  # Sphinx collects files for download after all transforms

    def apply(self) -> None:
        name = self.env.docname
        if not (has_exercises(name) or name == START):
            return
        for section in self.document.findall(nodes.section):
            if section.get("slug") == (STUDY if name == START else EXERCISES):
                files = released(name, Path(self.config.released_notebooks))
                paragraph = self.links(name, files) if files else unreleased(name)
                section.insert(section.index(section.next_node(nodes.title)) + 1, paragraph)

    def links(self, name: str, files: list[PurePath]) -> nodes.paragraph:
        *own, kit = (self.link(file) for file in files)
        line = nodes.paragraph(classes=["downloads"])
        line += [nodes.Text("Download "), *(part for each in own for part in (each, nodes.Text(", or "))), kit]
        line += nodes.Text(
            ": all notebooks with the kit that they import, and START HERE.txt, which says how to start."
        )
        for service, address in self.services(name) if own else []:
            line += [nodes.Text(" "), nodes.reference("", f"Open in {service}", refuri=address), nodes.Text(".")]
        return line

    def services(self, name: str) -> list[tuple[str, str]]:
        try:
            return services(name, self.config.students_repository)
        except ValueError as error:
            raise ConfigError(str(error)) from None

    def link(self, file: PurePath) -> nodes.Node:
        target = "/" + os.path.relpath(Path(self.config.released_notebooks) / file, self.env.srcdir)
        return addnodes.download_reference(
            "", "", nodes.literal("", file.name), reftarget=target, refdoc=self.env.docname
        )


def unreleased(name: str) -> nodes.paragraph:
    """Return the paragraph in place of the links while there are no files to link."""
    line = nodes.paragraph(classes=["downloads"])
    if name == START:
        line += [nodes.Text("In a copy of the course, "), nodes.literal("", "make release"), nodes.Text(" makes ")]
        line += [nodes.literal("", f"build/{ZIP}"), nodes.Text(", all notebooks with the kit that they import.")]
        return line
    line += [nodes.Text("The notebook is a part of "), nodes.literal("", "kit.zip")]
    line += [nodes.Text(", which holds all notebooks and the kit that they import. In a copy of the course, ")]
    line += [nodes.literal("", "make release"), nodes.Text(" makes both: ")]
    line += [nodes.literal("", f"build/{notebook(name)}"), nodes.Text(" and "), nodes.literal("", f"build/{ZIP}")]
    line += nodes.Text(".")
    return line


def moved(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    """Return the chapters whose notebook was released, changed or deleted since they were last read."""
    build = Path(app.config.released_notebooks)
    now = {name: bool(released(name, build)) for name in env.found_docs if has_exercises(name) or name == START}
    before = getattr(env, "released_notebooks", {})
    env.released_notebooks = now
    return sorted(name for name in now if before.get(name) != now[name])


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("students_repository", "", "env", types=[str])
    app.add_config_value("released_notebooks", str(BUILD), "env", types=[str])
    app.add_transform(Downloads)
    app.connect("env-get-outdated", moved)
    return {"parallel_read_safe": True}
