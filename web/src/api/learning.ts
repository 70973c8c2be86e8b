/** How learning is, and what a person wants of it. Daemons that learn nothing answer 404. */
import { ask } from "./client";

/** Something that was given up. */
export interface GivenUp {
  id: number;
  batch: string;
  session: string;
  attempts: number;
  error: string | null;
}

export interface Learning {
  on: boolean;
  problem?: string | null;
  /** The model that is asked; without one, rules learn. */
  model: string | null;
  daily_tokens: number | null;
  queue: { waiting: number; running: number; done: number; failed: number };
  spent_today: { questions: number; input: number; output: number };
  out_of_tokens: boolean;
  paused_since: number | null;
  given_up: GivenUp[];
  /** The model whose vectors are searched by. */
  embedding?: {
    model: string;
    wanted?: string | null;
    done: number;
    total: number;
    problem?: string | null;
  } | null;
}

const post = (what: string, body: unknown) =>
  ask<Learning & { retried?: number | null }>("POST", `/api/v1/learning/${what}`, { body });

export const learning = {
  status: () => ask<Learning>("GET", "/api/v1/learning"),
  pause: () => post("pause", undefined),
  resume: () => post("resume", undefined),
  retry: (id?: number) => post("retry", id === undefined ? {} : { id }),
};
