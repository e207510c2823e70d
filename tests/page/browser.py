"""A Chromium without a window, driven over a pipe by the DevTools protocol: no package is needed, and no port."""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ANSWER_TIME_MAX_S = 60
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-background-networking",
         "--disable-dev-shm-usage", "--remote-debugging-pipe", "--window-size=1280,900")


def find():
    """The browser's path; None: there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. `with Browser() as browser: browser.open(url)`."""

    def __init__(self, *flags):
        self.profile = tempfile.mkdtemp(prefix="heddle-page-")
        to_browser, self.writer = os.pipe()
        self.reader, from_browser = os.pipe()
        # The protocol wants descriptors 3 and 4, which the pipes themselves may have.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        if {to_browser, from_browser} & {3, 4}:
            shell = f'exec 8<&{to_browser} 9>&{from_browser}; exec "$@" 3<&8 4>&9'
        command = ["sh", "-c", shell, "sh", find(), *FLAGS, f"--user-data-dir={self.profile}", *flags, "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.heard, self.number, self.session = b"", 0, None
        # What the console was told: errors and warnings of the page and of the browser about it.
        self.messages = []
        page = next(target for target in self.ask("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Performance", "Accessibility", "DOM"):
            self.ask(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.writer)
        os.close(self.reader)
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, **parameters):
        """A command of the protocol and its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        return self.hear(lambda heard: heard.get("id") == self.number, method)

    def wait_for(self, event, seconds=ANSWER_TIME_MAX_S):
        return self.hear(lambda heard: heard.get("method") == event, event, seconds)

    def hear(self, wanted, what, seconds=ANSWER_TIME_MAX_S):
        until = time.monotonic() + seconds
        while True:
            while b"\0" not in self.heard:
                if not select.select([self.reader], [], [], max(0, until - time.monotonic()))[0]:
                    raise TimeoutError(f"no answer from the browser: {what}")
                part = os.read(self.reader, 1 << 20)
                if not part:
                    raise EOFError(f"the browser ended: {what}")
                self.heard += part
            text, self.heard = self.heard.split(b"\0", 1)
            message = json.loads(text)
            self.note(message)
            if wanted(message):
                if "error" in message:
                    raise RuntimeError(f"{what}: {message['error']['message']}")
                return message.get("result", message.get("params"))

    def note(self, message):
        parameters = message.get("params", {})
        match message.get("method"):
            case "Runtime.consoleAPICalled":
                self.messages.append(" ".join(str(value.get("value", value.get("description"))) for value in parameters["args"]))
            case "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                self.messages.append(details.get("exception", {}).get("description", details["text"]))
            case "Log.entryAdded":
                entry = parameters["entry"]
                self.messages.append(f"{entry['text']} {entry.get('url', '')}")

    def open(self, url):
        self.ask("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def evaluate(self, script):
        """The value of an expression in the page; what it throws is raised."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", script))
        return answer["result"].get("value")

    def until(self, script, seconds=30):
        """Waits until the expression is true; its value."""
        started = time.monotonic()
        while not (value := self.evaluate(script)):
            if time.monotonic() - started > seconds:
                raise TimeoutError(f"never became true: {script}")
            time.sleep(0.1)
        return value

    def press(self, key, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text if kind == "keyDown" else "")

    def performance(self):
        """Counters of the page: bytes, nodes, seconds of CPU."""
        return {metric["name"]: metric["value"] for metric in self.ask("Performance.getMetrics")["metrics"]}
