//! The packs over the corpora, with a splitter of plain words in the place of a shell parser.

mod corpus;
mod plain;
