// Improves pages that work without it: says how far deadlines are and what the reader's own clock shows then, and turns
// phases with [ and ], and shows the middle of a map that has no room.
(function () {
  "use strict";
  function words(ms) {
    var minutes = Math.round(Math.abs(ms) / 60000);
    var days = Math.floor(minutes / 1440), hours = Math.floor(minutes / 60) % 24;
    var text = days > 0 ? days + " d " + hours + " h" : hours > 0 ? hours + " h " + (minutes % 60) + " min" : minutes + " min";
    return ms >= 0 ? "in " + text : text + " ago";
  }
  // The deadline where the reader is, if clocks show another time there than the game's.
  function here(time, moment) {
    var offset = /([+-])(\d\d):(\d\d)$/.exec(time.dateTime);
    if (!offset) return "";
    var minutes = (offset[1] === "-" ? -1 : 1) * (60 * Number(offset[2]) + Number(offset[3]));
    if (minutes === -moment.getTimezoneOffset()) return "";
    var form = { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" };
    return ", " + moment.toLocaleString("en-GB", form) + " by your clock";
  }
  function tick() {
    document.querySelectorAll("time[data-countdown]").forEach(function (time) {
      var left = Date.parse(time.dateTime) - Date.now();
      if (isNaN(left)) return;
      // At the end of its line, behind the zone.
      var line = time.closest("p") || time.parentNode;
      var note = line.querySelector(".left");
      if (!note) {
        note = document.createElement("span");
        note.className = "left";
        line.append(" ", note);
      }
      note.textContent = words(left) + here(time, new Date(time.dateTime));
    });
  }
  document.querySelectorAll(".map .scroll").forEach(function (box) {
    box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2;
  });
  tick();
  setInterval(tick, 60000);
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    var rel = event.key === "[" ? "prev" : event.key === "]" ? "next" : null;
    var link = rel && document.querySelector("nav.turn a[rel=" + rel + "]");
    if (link) link.click();
  });
})();
