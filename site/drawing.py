"""Draws the documents' graphs as SVG, which needs neither a script nor a browser that knows the language of the graph.

A graph is a block of Mermaid with lines of the form ``a --> b & c`` after ``graph TD``. Anything else is a warning.
"""

import html
import re

from docutils import nodes
from grandalf.graphs import Edge, Graph, Vertex
from grandalf.layouts import SugiyamaLayout
from grandalf.routing import route_with_lines
from sphinx.util import logging

CHARACTER, PADDING, HEIGHT, MARGIN = 7.4, 8, 26, 6  # of a box, in pixels at a font size of 13
LINE = re.compile(r"\s*([\w.]+) --> ([\w.]+(?: & [\w.]+)*)\s*")


class Box:
    def __init__(self, name):
        self.w, self.h, self.xy = len(name) * CHARACTER + 2 * PADDING, HEIGHT, (0, 0)

    def edges(self):
        x, y = self.xy
        return x - self.w / 2, y - self.h / 2, x + self.w / 2, y + self.h / 2


class Path:
    def setpath(self, points):
        self.points = points


def svg(text):
    """The drawing of a graph; raises ValueError if it has a line of another form, or is not connected."""
    first, *lines = text.strip().splitlines()
    if first != "graph TD":
        raise ValueError(f"draws 'graph TD' only, not '{first}'")
    vertices, edges = {}, []
    for line in lines:
        match = LINE.fullmatch(line)
        if not match:
            raise ValueError(f"draws lines such as 'a --> b & c' only, not '{line.strip()}'")
        for name in (match[1], *match[2].split(" & ")):
            if name not in vertices:
                vertices[name] = Vertex(name)
                vertices[name].view = Box(name)
        edges += [Edge(vertices[match[1]], vertices[used]) for used in match[2].split(" & ")]
    for edge in edges:
        edge.view = Path()
    graph = Graph(list(vertices.values()), edges)
    if len(graph.C) != 1:
        raise ValueError("draws graphs only whose nodes are all connected")
    layout = SugiyamaLayout(graph.C[0])
    layout.xspace, layout.yspace, layout.route_edge = 14, 46, route_with_lines
    layout.init_all(roots=[vertex for vertex in graph.C[0].sV if not vertex.e_in()])
    layout.draw(20)

    boxes = [vertex.view.edges() for vertex in vertices.values()]
    points = [point for edge in edges for point in edge.view.points]
    left = min([box[0] for box in boxes] + [x for x, _ in points]) - MARGIN
    right = max([box[2] for box in boxes] + [x for x, _ in points]) + MARGIN
    top = min(box[1] for box in boxes) - MARGIN
    bottom = max(box[3] for box in boxes) + MARGIN
    parts = [
        f'<svg class="graph" role="img" viewBox="{left:.0f} {top:.0f} {right - left:.0f} {bottom - top:.0f}"'
        f' width="{right - left:.0f}"><defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4"'
        ' markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    ]
    for edge in edges:
        line = " ".join(f"{x:.0f},{y:.0f}" for x, y in edge.view.points)
        parts.append(f'<polyline points="{line}" marker-end="url(#arrow)"/>')
    for name, vertex in vertices.items():
        (x, y), (x0, y0, _, _) = vertex.view.xy, vertex.view.edges()
        parts.append(f'<rect x="{x0:.0f}" y="{y0:.0f}" width="{vertex.view.w:.0f}" height="{HEIGHT}" rx="4"/>')
        parts.append(f'<text x="{x:.0f}" y="{y + 4.5:.0f}">{html.escape(name)}</text>')
    return "".join(parts) + "</svg>"


def draw(app, doctree):
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language") == "mermaid":
            try:
                block.replace_self(nodes.raw("", f'<div class="graph">{svg(block.astext())}</div>', format="html"))
            except ValueError as problem:
                logging.getLogger(__name__).warning("%s", problem, location=block)


def setup(app):
    app.connect("doctree-read", draw)
    return {"parallel_read_safe": True}
