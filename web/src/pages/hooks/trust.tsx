/** What a project wants to run, and how it differs from what was trusted. Only what is shown here is trusted. */
import { useProjects } from "../../api/catalogue";
import { ApiError, words } from "../../api/client";
import { useLoad } from "../../api/load";
import { type Review, type ReviewItem, type ReviewState, setup } from "../../api/setup";
import { setParams } from "../../lib/router";
import { base } from "../../lib/text";
import { many } from "../../lib/time";
import { Tag, type Tone } from "../../parts/badge";
import { Code, Diff } from "../../parts/code";
import { confirm } from "../../parts/dialog";
import { tried } from "../../parts/do";
import { Source } from "../../parts/source";
import { Empty, Failure, Loading } from "../../parts/state";
import { toast } from "../../parts/toast";

export function Trust({ project, onChange }: { project: string | undefined; onChange: () => void }) {
  return project ? <Reviewed key={project} project={project} onChange={onChange} /> : <Choose />;
}

function Choose() {
  const projects = useProjects();
  return (
    <Empty title="Whose hooks?">
      {projects.length === 0
        ? "Projects appear once an agent has worked in them."
        : "Hooks that a project brings along run only after you have looked at them. Choose a project:"}
      <span class="choices">
        {projects.slice(0, 12).map(([path, name]) => (
          <button
            key={path}
            type="button"
            class="button"
            title={path}
            onClick={() => setParams({ project: path })}
          >
            {name}
          </button>
        ))}
      </span>
    </Empty>
  );
}

function Reviewed({ project, onChange }: { project: string; onChange: () => void }) {
  const review = useLoad(`trust ${project}`, () => setup.review(project));
  if (review.error) return <Failure error={review.error} retry={review.reload} />;
  if (!review.data) return <Loading />;
  const again = () => {
    review.reload();
    onChange();
  };
  if (review.data.items.length === 0)
    return (
      <Empty title={`${base(project)} brings no hooks along`}>
        When it does, they are shown here before anything of them runs.
      </Empty>
    );
  return <Items review={review.data} project={project} again={again} />;
}

function Items({ review, project, again }: { review: Review; project: string; again: () => void }) {
  const waiting = review.items.filter(({ state }) => state !== "trusted").length;
  const trusted = review.items.length - waiting;
  const grant = async () => {
    try {
      const done = await setup.grant(project, review.digest);
      toast(`${many(done.trusted, "hook")} of ${base(project)} trusted.`);
    } catch (error) {
      const isChanged = error instanceof ApiError && error.status === 409;
      toast(
        isChanged ? "Something changed while you read. Look at it again; nothing was trusted." : words(error),
        "deny",
      );
    }
    again();
  };
  const revoke = async () => {
    const isSure = await confirm({
      title: "Take trust back?",
      body: `No hook of ${project} runs until you trust it again.`,
      action: "Take it back",
      danger: true,
    });
    if (!isSure) return;
    await tried(
      () => setup.revoke(project),
      ({ revoked }) => `${many(revoked, "hook")} no longer trusted.`,
    );
    again();
  };
  return (
    <div class="review">
      <div class="review-head">
        <p>
          {waiting > 0
            ? `${many(waiting, "hook")} of ${base(project)} ${waiting === 1 ? "waits" : "wait"} for your trust.`
            : `All ${many(trusted, "hook")} of ${base(project)} are trusted as they stand.`}
        </p>
        <div class="buttons">
          {waiting > 0 && (
            <button type="button" class="button primary" onClick={grant}>
              Trust what is shown
            </button>
          )}
          {trusted > 0 && (
            <button type="button" class="button" onClick={revoke}>
              Take trust back…
            </button>
          )}
        </div>
      </div>
      {review.items.map((item) => (
        <Item key={item.id} item={item} />
      ))}
    </div>
  );
}

const STATES: Record<ReviewState, [words: string, tone: Tone]> = {
  new: ["new", "deny"],
  changed: ["changed", "ask"],
  trusted: ["trusted", "allow"],
};

function State({ is }: { is: ReviewState }) {
  const [words, tone] = STATES[is];
  return <Tag tone={tone}>{words}</Tag>;
}

function Item({ item }: { item: ReviewItem }) {
  return (
    <section class="panel review-item">
      <header>
        <h2>
          {item.hook} <State is={item.state} /> <Tag tone="accent">{item.event}</Tag>
        </h2>
        <Source file={item.file} line={item.line} />
      </header>
      {item.diff ? <Diff text={item.diff} /> : <Code text={item.command} label="Runs" />}
      {item.scripts.map((script) => (
        <details key={script.path} open={script.state !== "trusted"}>
          <summary>
            <code>{script.path}</code> <State is={script.state} />
          </summary>
          {script.diff ? <Diff text={script.diff} /> : <p class="quiet">As it was when it was trusted.</p>}
        </details>
      ))}
    </section>
  );
}
