//! A stream that fails when it is idle for too long.
//!
//! A client that connects and sends nothing, or only a part of a request, holds one of a limited number of connections
//! (slowloris).

use std::future::Future as _;
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A stream with an idle timeout.
pub(super) struct IdleTimeout<S> {
    inner: S,
    limit: Duration,
    timer: Pin<Box<Sleep>>,
}

impl<S> IdleTimeout<S> {
    /// Wraps a stream; the timeout starts now.
    pub(super) fn new(inner: S, limit: Duration) -> Self {
        Self {
            inner,
            limit,
            timer: Box::pin(sleep(limit)),
        }
    }

    /// Restarts the timer after progress; otherwise checks whether it expired.
    fn check<T>(
        &mut self,
        context: &mut Context<'_>,
        progress: Poll<Result<T>>,
    ) -> Poll<Result<T>> {
        if progress.is_ready() {
            self.timer.as_mut().reset(Instant::now() + self.limit);
            return progress;
        }
        match self.timer.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "idle timeout"))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for IdleTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let progress = Pin::new(&mut self.inner).poll_read(context, buffer);
        self.check(context, progress)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for IdleTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let progress = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.check(context, progress)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let progress = Pin::new(&mut self.inner).poll_write_vectored(context, parts);
        self.check(context, progress)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn silent_client_times_out() {
        let (_other, stream) = duplex(64);
        let begun = Instant::now();
        let error = IdleTimeout::new(stream, LIMIT)
            .read_u8()
            .await
            .expect_err("silence");
        assert_eq!(
            (error.kind(), begun.elapsed()),
            (ErrorKind::TimedOut, LIMIT)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn client_that_does_not_read_times_out() {
        let (_other, stream) = duplex(4);
        let mut stream = IdleTimeout::new(stream, LIMIT);
        let error = stream.write_all(b"too much").await.expect_err("deafness");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn activity_in_either_direction_restarts_the_timeout() {
        let (mut other, stream) = duplex(64);
        let mut stream = IdleTimeout::new(stream, LIMIT);
        for _ in 0..5 {
            let quiet = tokio::time::timeout(LIMIT / 2, stream.read_u8()).await;
            assert!(quiet.is_err(), "still open and nothing read");
            stream.write_all(b"x").await.expect("open");
            assert_eq!(other.read_u8().await.expect("a sign"), b'x');
        }
        other.write_all(b"y").await.expect("open");
        assert_eq!(stream.read_u8().await.expect("still open"), b'y');
    }
}
