// The state of the page as the fragment of its address, so that a view can be shared.
((blobmark) => {
  "use strict";

  const PREFIX = "of.";

  function write(state) {
    const words = new URLSearchParams();
    for (const [key, value] of Object.entries(state)) {
      if (key === "filters") {
        Object.entries(value).forEach(([factor, level]) => words.set(PREFIX + factor, level));
      } else if (key === "shown") {
        value?.forEach((method) => words.append(key, method));
      } else if (value !== undefined && (value !== "" || key === "series")) {
        words.set(key, value);
      }
    }
    return words.toString();
  }

  function read(fragment) {
    const state = {};
    const filters = {};
    for (const [key, value] of new URLSearchParams(fragment.replace(/^#/, ""))) {
      if (key.startsWith(PREFIX)) {
        filters[key.slice(PREFIX.length)] = value;
      } else if (key === "shown") {
        (state.shown ??= []).push(value);
      } else if (key === "ranking") {
        state.ranking = Number(value);
      } else {
        state[key] = value;
      }
    }
    return Object.keys(filters).length ? { ...state, filters } : state;
  }

  Object.assign(blobmark, { address: { write, read } });
})((globalThis.blobmark ??= {}));
