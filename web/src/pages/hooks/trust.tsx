/** Reviews the hooks of a project and their changes since they were trusted. Trust covers only what is shown. */

import { ApiError, errorMessage } from "../../api/client";
import { useProjectOptions } from "../../api/filter-options";
import { useLoad } from "../../api/load";
import { type ReviewItem, type ReviewState, setup, type TrustReview } from "../../api/setup";
import { formatCount, plural } from "../../lib/format";
import { setParams } from "../../lib/router";
import { basename } from "../../lib/text";
import { Tag, type Tone } from "../../parts/badge";
import { CodeBlock, DiffBlock } from "../../parts/code";
import { confirm } from "../../parts/dialog";
import { EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { runWithToast } from "../../parts/run-with-toast";
import { SourceLocation } from "../../parts/source-location";
import { toast } from "../../parts/toast";

export function TrustTab({ project, onChange }: { project: string | undefined; onChange: () => void }) {
  return project ? <ProjectReview key={project} project={project} onChange={onChange} /> : <ChooseProject />;
}

function ChooseProject() {
  const projects = useProjectOptions();
  return (
    <EmptyState title="Choose a project">
      {projects.length === 0
        ? "Projects appear here after an agent has worked in them."
        : "Hooks of a project run only after you trust them. Choose a project to review:"}
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
    </EmptyState>
  );
}

function ProjectReview({ project, onChange }: { project: string; onChange: () => void }) {
  const review = useLoad(`trust ${project}`, () => setup.review(project));
  if (review.error) return <ErrorMessage error={review.error} retry={review.reload} />;
  if (!review.data) return <Loading />;
  const reload = () => {
    review.reload();
    onChange();
  };
  if (review.data.items.length === 0)
    return (
      <EmptyState title={`${basename(project)} has no hooks of its own`}>
        New hooks of the project are listed here, and none runs before you trust it.
      </EmptyState>
    );
  return <ReviewItems review={review.data} project={project} reload={reload} />;
}

function ReviewItems({
  review,
  project,
  reload,
}: {
  review: TrustReview;
  project: string;
  reload: () => void;
}) {
  const waiting = review.items.filter(({ state }) => state !== "trusted").length;
  const trusted = review.items.length - waiting;
  const grant = async () => {
    try {
      const done = await setup.grant(project, review.digest);
      toast(`Trusted ${plural(done.trusted, "hook")} of ${basename(project)}.`);
    } catch (error) {
      const isChanged = error instanceof ApiError && error.status === 409;
      toast(
        isChanged
          ? "A hook changed while you were reading. Nothing was trusted; review it again."
          : errorMessage(error),
        "deny",
      );
    }
    reload();
  };
  const revoke = async () => {
    const isSure = await confirm({
      title: "Revoke trust?",
      body: `No hook of ${project} will run until you trust it again.`,
      action: "Revoke",
      danger: true,
    });
    if (!isSure) return;
    await runWithToast(
      () => setup.revoke(project),
      ({ revoked }) => `Revoked trust in ${plural(revoked, "hook")}.`,
    );
    reload();
  };
  return (
    <div class="review">
      <div class="review-head">
        <p>
          {waiting > 0
            ? `${plural(waiting, "hook")} of ${basename(project)} ${waiting === 1 ? "is" : "are"} not trusted yet.`
            : trusted === 1
              ? `The hook of ${basename(project)} is trusted.`
              : `All ${formatCount(trusted)} hooks of ${basename(project)} are trusted.`}
        </p>
        <div class="buttons">
          {waiting > 0 && (
            <button type="button" class="button primary" onClick={grant}>
              Trust these hooks
            </button>
          )}
          {trusted > 0 && (
            <button type="button" class="button" onClick={revoke}>
              Revoke trust…
            </button>
          )}
        </div>
      </div>
      {review.items.map((item) => (
        <ReviewItemPanel key={item.id} item={item} />
      ))}
    </div>
  );
}

const STATE_LABELS: Record<ReviewState, [words: string, tone: Tone]> = {
  new: ["new", "deny"],
  changed: ["changed", "ask"],
  trusted: ["trusted", "allow"],
};

function ReviewStateTag({ state }: { state: ReviewState }) {
  const [words, tone] = STATE_LABELS[state];
  return <Tag tone={tone}>{words}</Tag>;
}

function ReviewItemPanel({ item }: { item: ReviewItem }) {
  return (
    <section class="panel review-item">
      <header>
        <h2>
          {item.hook} <ReviewStateTag state={item.state} /> <Tag tone="accent">{item.event}</Tag>
        </h2>
        <SourceLocation file={item.file} line={item.line} />
      </header>
      {item.diff ? <DiffBlock text={item.diff} /> : <CodeBlock text={item.command} label="Command" />}
      {item.scripts.map((script) => (
        <details key={script.path} open={script.state !== "trusted"}>
          <summary>
            <code>{script.path}</code> <ReviewStateTag state={script.state} />
          </summary>
          {script.diff ? (
            <DiffBlock text={script.diff} />
          ) : (
            <p class="quiet">Unchanged since you trusted it.</p>
          )}
        </details>
      ))}
    </section>
  );
}
