/** All pages: path, name, shortcut after `g`, icon, component. */
import type { ComponentType } from "preact";
import { DecisionsPage } from "../pages/decisions";
import { HooksPage } from "../pages/hooks";
import { InsightPage } from "../pages/insight";
import { LivePage } from "../pages/live";
import { MemoryPage } from "../pages/memory";
import { SessionsPage } from "../pages/sessions";
import { SessionPage } from "../pages/sessions/session";
import { SettingsPage } from "../pages/settings";

export interface PageEntry {
  path: string;
  name: string;
  key: string;
  /** SVG path of a 20 × 20 stroke icon. */
  icon: string;
  page: ComponentType;
}

export const PAGES: readonly PageEntry[] = [
  { path: "/live", name: "Live", key: "l", icon: "M2 10h4l2.5-6 3.5 12 2.5-6H18", page: LivePage },
  {
    path: "/sessions",
    name: "Sessions",
    key: "s",
    icon: "M3 4.5h14M3 10h14M3 15.5h9M16 13.5v4M14 15.5h4",
    page: SessionsPage,
  },
  {
    path: "/decisions",
    name: "Decisions",
    key: "d",
    icon: "M10 3v14M4 6h12M4 6l-2 5h4zM16 6l-2 5h4zM7 17h6",
    page: DecisionsPage,
  },
  {
    path: "/hooks",
    name: "Hooks",
    key: "h",
    icon: "M7 3v9a3.5 3.5 0 0 0 7 0v-1.5M14 7.5v.1",
    page: HooksPage,
  },
  {
    path: "/memory",
    name: "Memory",
    key: "m",
    icon: "M5 3h10v14l-5-3.5L5 17zM8 7h4",
    page: MemoryPage,
  },
  { path: "/insight", name: "Insight", key: "i", icon: "M3 17V9M8 17V3M13 17v-6M18 17V6", page: InsightPage },
  {
    path: "/settings",
    name: "Settings",
    key: ",",
    icon: "M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4",
    page: SettingsPage,
  },
];

/** Pages for one object, linked from other pages. */
export const DETAIL_PAGES: readonly { pattern: string; page: ComponentType<{ id: string }> }[] = [
  { pattern: "/sessions/:id", page: SessionPage },
];
