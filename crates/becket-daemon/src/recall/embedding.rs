//! The model that the person's file names, behind an endpoint. Until it answers, and where it does not, the one inside
//! the program is used.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use becket_recall::embed::{Embedder, Endpoint, EndpointConfig, Progress, RefreshError, refresh};
use becket_recall::search::{BUILTIN_MODEL, Recall};
use becket_store::{NewVector, Shelf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ask::Unanswered;
use super::service::{Inner, Remembering, Using};
use super::work;

/// How often an endpoint that does not answer is tried again, and texts are looked for that have no vector because it
/// did not.
const AGAIN: Duration = Duration::from_secs(300);

/// The model whose vectors are searched by
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Embedding {
    /// The model that is used
    pub model: String,
    /// The one that the person's file names, if it is another
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// Texts that have got their vector of that one
    pub done: u64,
    /// Texts that had none
    pub total: u64,
    /// Why it is not used
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// How far it is with the model that is wanted.
#[derive(Default)]
pub(super) struct Adopting(Mutex<Embedding>);

impl Adopting {
    pub(super) fn change(&self, change: impl FnOnce(&mut Embedding)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn now(&self) -> Embedding {
        let now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        now.clone()
    }
}

impl Remembering {
    /// Takes in what a project has learnt: vectors for what is new, and the index reads on. For threads that may wait.
    pub(crate) fn learnt(&self, project: &str, new: &[String]) -> Result<(), Unanswered> {
        let (reader, model) = (self.inner.reader()?, self.inner.model());
        let mut vectors = Vec::new();
        for id in new {
            if let Some(memory) = reader.memory(id)? {
                let vector = work::vector(model.as_ref(), memory.context.as_deref(), &memory.text);
                vectors.extend(vector.map(|vector| (memory.pk, vector)));
            }
        }
        if !vectors.is_empty() {
            let mut writer = self.inner.writer()?;
            let mut group = writer.begin()?;
            for (pk, bytes) in &vectors {
                let model = model.id();
                group.put_vector(Shelf::Memory, *pk, NewVector { model, bytes })?;
            }
            group.commit()?;
        }
        self.inner.read_on(project)
    }

    /// Gives every text a vector of the model that is used, unless `go_on` ends it.
    fn complete(&self, go_on: impl FnMut(Progress) -> bool) -> Result<(), Unanswered> {
        let mut writer = self.inner.writer()?;
        let done = refresh(&mut writer, self.inner.model().as_ref(), go_on);
        done.map_err(unmade)?;
        Ok(())
    }

    /// Gives every text a vector of a model, and finds by it from then on. `go_on` hears how far it is; if it ends it,
    /// the model is not used yet.
    fn adopt(
        &self,
        model: &Arc<dyn Embedder>,
        mut go_on: impl FnMut(Progress) -> bool,
    ) -> Result<(), Unanswered> {
        let mut writer = self.inner.writer()?;
        let mut is_whole = true;
        refresh(&mut writer, model.as_ref(), |progress| {
            is_whole = go_on(progress);
            is_whole
        })
        .map_err(unmade)?;
        if !is_whole || self.inner.model().id() == model.id() {
            return Ok(());
        }
        let recall = Arc::new(Recall::new(Some(&self.inner.indexes), Arc::clone(model))?);
        *self.inner.using() = Using {
            model: Arc::clone(model),
            recall: Some(recall),
        };
        // What was kept meanwhile has a vector of the model before.
        refresh(&mut writer, model.as_ref(), go_on).map_err(unmade)?;
        // Those of former models are of no use to anybody; the one inside the program steps in whenever this one is away.
        let mut group = writer.begin()?;
        group.drop_other_vectors(&[BUILTIN_MODEL, model.id()])?;
        group.commit()?;
        Ok(())
    }

    /// The model whose vectors are searched by, and how far it is with another one.
    pub fn embedding(&self) -> Embedding {
        Embedding {
            model: self.inner.model().id().to_owned(),
            ..self.inner.adopting.now()
        }
    }
}

/// Says that the model inside the program is used because another one is away, and makes the vectors that it lacks. The
/// receiver ends when they are made.
pub(super) fn step_in(inner: &Inner, id: String, trouble: String) -> Receiver<()> {
    let (making, made) = mpsc::channel();
    tracing::warn!(
        "`{id}` of [embedding] is away, and the model inside Becket used meanwhile: {trouble}"
    );
    inner.adopting.change(|now| {
        now.wanted = Some(id);
        now.problem = Some(trouble);
    });
    let (writer, own) = (inner.writer(), Arc::clone(&inner.own));
    let thread = std::thread::Builder::new().name("becket-step-in".into());
    let started = thread.spawn(move || {
        let _making: Sender<()> = making;
        let made = writer
            .and_then(|mut writer| refresh(&mut writer, own.as_ref(), |_| true).map_err(unmade));
        if let Err(error) = made {
            tracing::warn!("vectors are missing: {error}");
        }
    });
    if let Err(error) = started {
        tracing::warn!("vectors are missing: {error}");
    }
    made
}

fn unmade(error: RefreshError) -> Unanswered {
    Unanswered::Unavailable(error.to_string())
}

/// The thread that brings the model into use; it ends when this is dropped, or soon after.
#[must_use]
pub(crate) struct Bringing {
    _alive: Sender<()>,
}

/// Starts to make vectors that are missing, and to bring another model into use if one is wanted.
pub(crate) fn bring(
    remembering: &Remembering,
    config: Option<EndpointConfig>,
) -> std::io::Result<Bringing> {
    let (alive, gone) = mpsc::channel();
    let service = remembering.clone();
    // Not one of the runtime's: an endpoint may take its time, and the daemon does not wait for it to end.
    std::thread::Builder::new()
        .name("becket-embed".into())
        .spawn(move || {
            // What was kept without a vector, or with another model's.
            if let Err(error) = service.complete(|_| is_wanted(&gone)) {
                tracing::debug!("vectors are missing: {error}");
            }
            if let Some(config) = config {
                bring_again(&service, &config, &gone);
            }
        })?;
    Ok(Bringing { _alive: alive })
}

fn is_wanted(gone: &Receiver<()>) -> bool {
    gone.try_recv() == Err(mpsc::TryRecvError::Empty)
}

fn bring_again(service: &Remembering, config: &EndpointConfig, gone: &Receiver<()>) {
    let mut warned = false;
    let mut model: Option<Arc<dyn Embedder>> = None;
    loop {
        let done = try_once(service, config, &mut model, gone);
        let adopting = &service.inner.adopting;
        adopting.change(|now| now.problem = done.as_ref().err().map(ToString::to_string));
        match done {
            Err(error) if !warned => {
                tracing::warn!(
                    "`{}` of [embedding] is not used, but the model inside Becket: {error}",
                    config.model
                );
                warned = true;
            }
            Err(error) => tracing::debug!("{error}"),
            Ok(()) => warned = false,
        }
        if gone.recv_timeout(AGAIN) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

/// Connects if that is to be done, and gives every text that has none a vector.
fn try_once(
    service: &Remembering,
    config: &EndpointConfig,
    model: &mut Option<Arc<dyn Embedder>>,
    gone: &Receiver<()>,
) -> Result<(), Unanswered> {
    let adopting = &service.inner.adopting;
    let known = if let Some(known) = model {
        Arc::clone(known)
    } else {
        adopting.change(|now| now.wanted = Some(config.model.clone()));
        let endpoint = Endpoint::connect(config.clone());
        let endpoint = endpoint.map_err(|error| Unanswered::Unavailable(error.to_string()))?;
        Arc::new(endpoint)
    };
    let was_used = service.inner.model().id() == known.id();
    if model.is_some() && !was_used {
        let probe = known.embed(&["becket"]);
        probe.map_err(|error| Unanswered::Unavailable(error.to_string()))?;
    }
    service.adopt(&known, |progress| {
        adopting.change(|now| (now.done, now.total) = (progress.done, progress.total));
        is_wanted(gone)
    })?;
    if !was_used && is_wanted(gone) {
        tracing::info!("`{}` of [embedding] is used", known.id());
        adopting.change(|now| now.wanted = None);
        *model = Some(known);
    }
    Ok(())
}
