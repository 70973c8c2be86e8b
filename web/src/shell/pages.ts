/** Every page: where it is, what it is called, the key after `g` that goes there, and what draws it. */
import type { ComponentType } from "preact";
import { Decisions } from "../pages/decisions";
import { Hooks } from "../pages/hooks";
import { Insight } from "../pages/insight";
import { Live } from "../pages/live";
import { Memory } from "../pages/memory";
import { Sessions } from "../pages/sessions";
import { SessionPage } from "../pages/sessions/session";
import { Settings } from "../pages/settings";

export interface PageEntry {
  path: string;
  name: string;
  key: string;
  /** A path of a 20 × 20 icon, drawn with strokes. */
  icon: string;
  page: ComponentType;
}

export const PAGES: readonly PageEntry[] = [
  { path: "/live", name: "Live", key: "l", icon: "M2 10h4l2.5-6 3.5 12 2.5-6H18", page: Live },
  {
    path: "/sessions",
    name: "Sessions",
    key: "s",
    icon: "M3 4.5h14M3 10h14M3 15.5h9M16 13.5v4M14 15.5h4",
    page: Sessions,
  },
  {
    path: "/decisions",
    name: "Decisions",
    key: "d",
    icon: "M10 3v14M4 6h12M4 6l-2 5h4zM16 6l-2 5h4zM7 17h6",
    page: Decisions,
  },
  { path: "/hooks", name: "Hooks", key: "h", icon: "M7 3v9a3.5 3.5 0 0 0 7 0v-1.5M14 7.5v.1", page: Hooks },
  {
    path: "/memory",
    name: "Memory",
    key: "m",
    icon: "M5 3h10v14l-5-3.5L5 17zM8 7h4",
    page: Memory,
  },
  { path: "/insight", name: "Insight", key: "i", icon: "M3 17V9M8 17V3M13 17v-6M18 17V6", page: Insight },
  {
    path: "/settings",
    name: "Settings",
    key: ",",
    icon: "M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4",
    page: Settings,
  },
];

/** Pages about one thing, reached from another page. */
export const DETAILS: readonly { pattern: string; page: ComponentType<{ id: string }> }[] = [
  { pattern: "/sessions/:id", page: SessionPage },
];
