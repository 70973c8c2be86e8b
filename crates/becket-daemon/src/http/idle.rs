//! A stream that ends when nothing moves on it.
//!
//! Who connects and says nothing, or the first letter of a request, holds one of a bounded number of
//! places; whoever may do that for ever can keep everybody else out.

use std::future::Future as _;
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A stream and the time that it may be still.
pub(super) struct Idle<S> {
    inner: S,
    most: Duration,
    timer: Pin<Box<Sleep>>,
}

impl<S> Idle<S> {
    /// The time begins now.
    pub(super) fn new(inner: S, most: Duration) -> Self {
        Self {
            inner,
            most,
            timer: Box::pin(sleep(most)),
        }
    }

    /// What moved starts the time anew; what did not may have used it up.
    fn watch<T>(&mut self, context: &mut Context<'_>, moved: Poll<Result<T>>) -> Poll<Result<T>> {
        if moved.is_ready() {
            self.timer.as_mut().reset(Instant::now() + self.most);
            return moved;
        }
        match self.timer.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "nothing moved"))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Idle<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let moved = Pin::new(&mut self.inner).poll_read(context, buffer);
        self.watch(context, moved)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Idle<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let moved = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.watch(context, moved)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let moved = Pin::new(&mut self.inner).poll_write_vectored(context, parts);
        self.watch(context, moved)
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

    const MOST: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn whoever_says_nothing_is_left() {
        let (_other, stream) = duplex(64);
        let begun = Instant::now();
        let error = Idle::new(stream, MOST)
            .read_u8()
            .await
            .expect_err("silence");
        assert_eq!((error.kind(), begun.elapsed()), (ErrorKind::TimedOut, MOST));
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_does_not_listen_is_left() {
        let (_other, stream) = duplex(4);
        let mut stream = Idle::new(stream, MOST);
        let error = stream.write_all(b"too much").await.expect_err("deafness");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_sign_of_life_in_either_direction_is_enough() {
        let (mut other, stream) = duplex(64);
        let mut stream = Idle::new(stream, MOST);
        for _ in 0..5 {
            let quiet = tokio::time::timeout(MOST / 2, stream.read_u8()).await;
            assert!(quiet.is_err(), "still open and nothing read");
            stream.write_all(b"x").await.expect("open");
            assert_eq!(other.read_u8().await.expect("a sign"), b'x');
        }
        other.write_all(b"y").await.expect("open");
        assert_eq!(stream.read_u8().await.expect("still open"), b'y');
    }
}
