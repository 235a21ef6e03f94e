// Elements. Data of a run is only set as text.
((blobmark) => {
  "use strict";

  /** @param properties attributes by name, `on…` listeners, and `text` */
  function element(tag, properties = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name === "text") {
        made.textContent = value;
      } else if (name.startsWith("on")) {
        made.addEventListener(name.slice(2), value);
      } else if (value === true) {
        made.setAttribute(name, "");
      } else if (value !== false && value !== undefined) {
        made.setAttribute(name, value);
      }
    }
    made.append(...children.filter((child) => child !== undefined));
    return made;
  }

  /** Offers a text or a blob as a file. */
  function save(name, content, type) {
    const blob = content instanceof Blob ? content : new Blob([content], { type });
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /** Copies a text, and confirms it in the button for a moment. */
  async function copy(text, button) {
    const words = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      const area = element("textarea", { "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      button.textContent = document.execCommand("copy") ? "Copied" : "Not allowed here";
      area.remove();
    }
    setTimeout(() => (button.textContent = words), 1500);
  }

  /** A select with a label. @param options pairs of a value and a text */
  function select(label, options, value, change) {
    const control = element("select", { onchange: () => change(control.value) });
    for (const [option, words] of options) {
      control.append(element("option", { value: option, text: words, selected: option === value }));
    }
    control.value = value ?? "";
    return element("label", { class: "control" }, element("span", { text: label }), control);
  }

  Object.assign(blobmark, { element, save, copy, select });
})((globalThis.blobmark ??= {}));
