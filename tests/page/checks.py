"""The live page of a server that works, in a real browser: checks.py URL. Prints `ok NAME` or `not ok NAME: what was seen`."""
import sys
import time
import traceback

from browser import Browser

URL = sys.argv[1]
HISTORY_S = 600
SCHEMES = ("light", "dark")

# Contrast as WCAG 2.2 computes it (1.4.3: text 4.5; 1.4.11: what is needed to understand a drawing 3), of everything that is shown.
CONTRAST = """(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if ((numbers(colour)[3] ?? 1) === 1) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((x, y) => y - x); return (x + 0.05) / (y + 0.05); };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !node.checkVisibility()) continue;
    const style = getComputedStyle(node);
    found.push([4.5, ratio(node.closest("svg") ? style.fill : style.color, behind(node)), walker.currentNode.data.trim()]);
  }
  for (let colour = 0; colour < LINES_MAX; colour++) {
    const path = svg("path", { class: `k${colour}`, d: "M0 0" });
    document.querySelector("figure svg").append(path);
    found.push([3, ratio(getComputedStyle(path).stroke, behind(path)), `line ${colour}`]);
    path.remove();
  }
  for (const node of document.querySelectorAll("select, button")) {
    found.push([3, ratio(getComputedStyle(node).borderTopColor, behind(node.parentElement)), `edge of ${node.id}`]);
  }
  return found;
})()"""

# What the keyboard is on, and whether one can see it.
FOCUS = """(() => {
  const node = document.activeElement, style = getComputedStyle(node), box = node.getBoundingClientRect();
  const outlined = node.matches(":focus-visible") && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const inside = box.width > 0 && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight;
  const name = node.id || node.getAttribute("href") || node.getAttribute("aria-labelledby") || node.tagName;
  return { name, outlined, inside };
})()"""

LEGEND = """(title) => {
  const figure = [...document.querySelectorAll("figure")].find((figure) => figure.querySelector("h3").textContent === title);
  return [...figure.querySelectorAll(".legend li")].map((line) => [line.childNodes[1].textContent, line.querySelector("b").textContent]);
}"""


def legend(browser, title):
    """What is written below a chart: line, number now."""
    return {name: float(number.replace(",", "")) for name, number in browser.evaluate(f"({LEGEND})('{title}')") if number != "–"}


def numbers_move(browser):
    seen = []
    for _ in range(3):
        browser.until("charts[0].drawn.length > 0")
        seen.append((legend(browser, "Requests")["Batch requests"], browser.evaluate("document.querySelector('figure path').getAttribute('d')")))
        time.sleep(2)
    rates, paths = zip(*seen)
    assert min(rates) > 0 and len(set(paths)) == len(paths), seen
    assert legend(browser, "Sessions")["User connections"] > 0
    assert any(used > 0 for used in legend(browser, "Logical CPUs").values())
    rows = browser.evaluate("[...document.querySelectorAll('#session-rows tr')].map((row) => row.innerText)")
    assert any("sa" in row.split("\t") for row in rows), rows


def pause_stops_the_drawing(browser):
    path = "document.querySelector('figure path').getAttribute('d')"
    browser.evaluate("$('pause').click()")
    assert browser.evaluate("$('state').textContent").startswith("Paused")
    before = browser.evaluate(path)
    count = browser.evaluate("charts[0].series.get('Batch requests').length")
    browser.until(f"charts[0].series.get('Batch requests').length > {count} + 1")
    assert browser.evaluate(path) == before, "it was drawn while paused"
    browser.evaluate("$('pause').click()")
    assert browser.evaluate("$('state').textContent") == "Live."
    assert browser.evaluate(path) != before, "it was not drawn at once"


def keyboard(browser):
    # No control of the page's is left out, and none that cannot be seen is reached.
    wanted = browser.evaluate("[...document.querySelectorAll('a[href], select, button, [tabindex=\"0\"]')].map((node) => "
                              "node.id || node.getAttribute('href') || node.getAttribute('aria-labelledby'))")
    browser.evaluate("document.activeElement.blur(), scrollTo(0, 0)")
    reached = []
    for _ in wanted:
        browser.press("Tab", 9)
        focus = browser.evaluate(FOCUS)
        assert focus["outlined"] and focus["inside"], focus
        reached.append(focus["name"])
    assert reached == wanted and {"span", "pause", "#charts"} <= set(reached), (reached, wanted)
    browser.evaluate("$('pause').focus()")
    browser.press(" ", 32, " ")
    assert browser.evaluate("$('pause').getAttribute('aria-pressed')") == "true"
    browser.press(" ", 32, " ")
    assert browser.evaluate("$('pause').getAttribute('aria-pressed')") == "false"
    browser.evaluate("$('span').focus()")
    browser.press("ArrowDown", 40)
    assert browser.evaluate("$('span').value") == "600"
    browser.press("ArrowUp", 38)
    assert browser.evaluate("$('span').value") == "180"


def screen_reader(browser):
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    text = lambda node, what: node.get(what, {}).get("value", "")
    heard = [(text(node, "role"), text(node, "name")) for node in nodes if not node.get("ignored")]
    named = lambda role: [name for kind, name in heard if kind == role]
    for landmark in ("banner", "main", "contentinfo"):
        assert len(named(landmark)) == 1, (landmark, named(landmark))
    regions = named("region")
    assert len(regions) >= 3 and all(regions), regions
    headings = browser.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((node) => Number(node.tagName[1]))")
    assert headings[0] == 1 and headings.count(1) == 1, headings
    assert all(after <= before + 1 for before, after in zip(headings, headings[1:])), headings
    for role in ("combobox", "button", "link", "table", "list"):
        assert named(role) and all(named(role)), (role, named(role))
    # Each drawing says in words what it shows; the keys of the colours are not read.
    images = named("image") + named("img")
    charts = browser.evaluate("charts.map((chart) => [chart.definition.title, chart.definition.unit])")
    assert len(images) == len(charts), images
    for image, (title, unit) in zip(images, charts):
        assert image.startswith(f"{title}, {unit}, the last 3 minutes. "), image
    requests = next(image for image in images if image.startswith("Requests"))
    assert "Batch requests: now " in requests and ", from " in requests, requests
    tables = browser.evaluate("[...document.querySelectorAll('table')].map((table) => ({ caption: table.caption?.textContent, "
                              "columns: [...table.tHead.rows[0].cells].every((cell) => cell.scope === 'col'), "
                              "rows: [...table.tBodies[0].rows].every((row) => row.cells[0].scope === 'row' || row.cells.length === 1), "
                              "wide: [...table.tBodies[0].rows].every((row) => [...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0) "
                              "=== table.tHead.rows[0].cells.length) }))")
    assert len(tables) == 4 and all(all(table.values()) for table in tables), tables
    assert browser.evaluate("document.documentElement.lang") == "en"


def live_regions_are_not_chatty(browser):
    browser.evaluate("""window.said = []; new MutationObserver((changes) => {
      for (const { target } of changes) {
        const node = target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement;
        const live = node?.closest("[aria-live], [role=status], [role=alert], [role=log]");
        if (live && live.getAttribute("aria-live") !== "off") said.push(live.textContent);
      }
    }).observe(document, { childList: true, characterData: true, subtree: true })""")
    before = browser.evaluate("$('session-rows').firstChild.remove(), charts[0].series.get('Batch requests').length")
    browser.until(f"charts[0].series.get('Batch requests').length >= {before} + 4 && $('session-rows').firstChild !== null")
    assert browser.evaluate("said") == []
    browser.evaluate("$('pause').click(), $('pause').click()")
    assert len(browser.evaluate("said")) == 2, "what changes must be said"


def contrast(browser):
    worst = {}
    for scheme in SCHEMES:
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for bad in ("false", "true"):
            browser.evaluate(f"$('state').classList.toggle('bad', {bad}), $('pause').setAttribute('aria-pressed', {bad})")
            for wanted, ratio, what in browser.evaluate(CONTRAST):
                assert ratio >= wanted, f"{scheme}: {ratio:.2f} of {wanted}: {what}"
                worst[scheme, wanted] = min(ratio, worst.get((scheme, wanted), 21))
    browser.evaluate("$('state').classList.remove('bad'), $('pause').setAttribute('aria-pressed', false)")
    browser.ask("Emulation.setEmulatedMedia", features=[])
    print("  least:", ", ".join(f"{scheme} {ratio:.2f} of {wanted}" for (scheme, wanted), ratio in worst.items()))


def redraws_are_cheap(browser):
    """A reading makes the browser lay the page out once for its charts and once for its tables, not once for each."""
    readings = "charts[0].series.get('Batch requests').length"
    before, count = browser.performance()["LayoutCount"], browser.evaluate(readings)
    browser.until(f"{readings} >= {count} + 5")
    layouts = browser.performance()["LayoutCount"] - before
    assert layouts <= 3 * (browser.evaluate(readings) - count), layouts


def lines_keep_their_colours(browser):
    """Whatever becomes the greatest: a colour changes hands only when its line is drawn no more. No more than there are colours."""
    drawn = browser.evaluate("""(() => {
      const chart = Object.assign(Object.create(Chart.prototype), { definition: { most: true }, drawn: [] });
      const draw = (values) => {
        chart.series = new Map(Object.entries(values).map(([name, value]) => [name, [[0, value]]]));
        return chart.chosen(0, 60).map(({ name, colour }) => name + colour).join(" ");
      };
      return [{ a: 1, b: 2 }, { a: 3, b: 2, c: 9 }, { a: 0, b: 2, c: 9, d: 1 }, { b: 2, c: 1, d: 3, e: 4, f: 5, g: 6, h: 7, i: 8, j: 9, k: 10 }].map(draw);
    })()""")
    assert drawn == ["b0 a1", "b0 a1 c2", "b0 d1 c2", "k0 d1 j2 i3 h4 g5 f6 e7"], drawn


def calm(browser):
    """Where less motion is wished for, the charts move every five seconds."""
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    browser.evaluate("window.moved = 0; new MutationObserver(() => moved++).observe(charts[0].drawing, { childList: true })")
    count = browser.evaluate("charts[0].series.get('Batch requests').length")
    browser.until(f"charts[0].series.get('Batch requests').length >= {count} + 6")
    moved = browser.evaluate("moved")
    browser.ask("Emulation.setEmulatedMedia", features=[])
    assert 1 <= moved <= 2, moved


def narrow(browser):
    """320 pixels, as at 400 %: nothing is beside the page."""
    browser.ask("Emulation.setDeviceMetricsOverride", width=320, height=640, deviceScaleFactor=1, mobile=False)
    wide = browser.evaluate("document.documentElement.scrollWidth")
    browser.ask("Emulation.clearDeviceMetricsOverride")
    assert wide <= 320, wide


def ten_minutes_are_kept(browser):
    """Twelve minutes and then four more pass in the browser's own time: no more is kept than ten, and the page does not grow."""
    browser.evaluate("$('span').value = '600', $('span').dispatchEvent(new Event('change'))")
    held = lambda: browser.evaluate("Math.max(...charts.flatMap((chart) => [...chart.series.values()].map((points) => points.length)))")

    def pass_minutes(minutes):
        browser.ask("Emulation.setVirtualTimePolicy", policy="pauseIfNetworkFetchesPending", budget=minutes * 60_000)
        browser.wait_for("Emulation.virtualTimeBudgetExpired", 30 * minutes)
        browser.ask("HeapProfiler.collectGarbage")
        return held(), browser.performance()

    points, before = pass_minutes(12)
    assert HISTORY_S * 0.9 <= points <= HISTORY_S + 1, points
    drawn = browser.evaluate("document.querySelector('figure path').getAttribute('d').match(/[ML]/g).length")
    assert drawn >= HISTORY_S * 0.9, drawn
    later, after = pass_minutes(4)
    assert later <= HISTORY_S + 1, later
    for what, room in (("JSHeapUsedSize", 1 << 20), ("Nodes", 1000), ("JSEventListeners", 10)):
        assert after[what] <= before[what] * 1.1 + room, f"{what}: {before[what]}, later {after[what]}"
    print(f"  {points} points a line; heap {before['JSHeapUsedSize'] / 1e6:.1f} MB, later {after['JSHeapUsedSize'] / 1e6:.1f} MB")


def console_is_empty(browser):
    assert browser.messages == [], browser.messages


CHECKS = (numbers_move, pause_stops_the_drawing, keyboard, screen_reader, live_regions_are_not_chatty, contrast, redraws_are_cheap,
          lines_keep_their_colours, calm, narrow, ten_minutes_are_kept, console_is_empty)


def main():
    failed = 0
    with Browser() as browser:
        browser.open(URL)
        browser.until("before !== null")
        for check in CHECKS:
            try:
                check(browser)
                print(f"ok {check.__name__}", flush=True)
            except Exception as error:
                failed += 1
                where = traceback.extract_tb(error.__traceback__)[-1]
                print(f"not ok {check.__name__}: {type(error).__name__} {error} ({where.name}:{where.lineno})", flush=True)
    sys.exit(failed > 0)


main()
