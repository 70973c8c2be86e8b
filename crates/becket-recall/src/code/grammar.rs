//! Definition nodes by language.

use tree_sitter::Language as Grammar;

use super::language::Language;

/// How a syntax node is chunked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeRole {
    /// Always one chunk.
    Whole(&'static str),
    /// One chunk if it is short, split if it is long.
    Container(&'static str),
    /// One chunk if it has several lines.
    MultiLine(&'static str),
    /// One chunk if it binds a function.
    Binding(&'static str),
}

use NodeRole::{Binding, Container, MultiLine, Whole};

/// A grammar and its definition nodes.
pub(super) struct LanguageGrammar {
    pub(super) grammar: Grammar,
    pub(super) roles: &'static [(&'static str, NodeRole)],
}

impl LanguageGrammar {
    pub(super) fn role(&self, kind: &str) -> Option<NodeRole> {
        let found = self.roles.iter().find(|(one, _)| *one == kind);
        found.map(|(_, role)| *role)
    }
}

/// Nodes before a definition that belong to it.
pub(super) fn is_preface(kind: &str) -> bool {
    kind.contains("comment")
        || matches!(
            kind,
            "attribute_item" | "decorator" | "annotation" | "attribute_list" | "marker_annotation"
        )
}

/// Nodes that wrap a definition.
pub(super) fn is_wrapper(kind: &str) -> bool {
    matches!(
        kind,
        "decorated_definition"
            | "export_statement"
            | "expression_statement"
            | "template_declaration"
            | "ambient_declaration"
    )
}

/// The grammar of a language, if there is one.
pub(super) fn language_grammar(language: Language) -> Option<LanguageGrammar> {
    let (grammar, roles): (Grammar, &'static [(&'static str, NodeRole)]) = match language {
        Language::C => (tree_sitter_c::LANGUAGE.into(), C),
        Language::CSharp => (tree_sitter_c_sharp::LANGUAGE.into(), CSHARP),
        Language::Cpp => (tree_sitter_cpp::LANGUAGE.into(), CPP),
        Language::Go => (tree_sitter_go::LANGUAGE.into(), GO),
        Language::Java => (tree_sitter_java::LANGUAGE.into(), JAVA),
        Language::JavaScript => (tree_sitter_javascript::LANGUAGE.into(), SCRIPT),
        Language::Json => (tree_sitter_json::LANGUAGE.into(), JSON),
        Language::Kotlin => (tree_sitter_kotlin_ng::LANGUAGE.into(), KOTLIN),
        Language::Markdown => (tree_sitter_md::LANGUAGE.into(), MARKDOWN),
        Language::Php => (tree_sitter_php::LANGUAGE_PHP.into(), PHP),
        Language::Python => (tree_sitter_python::LANGUAGE.into(), PYTHON),
        Language::Rust => (tree_sitter_rust::LANGUAGE.into(), RUST),
        Language::Scala => (tree_sitter_scala::LANGUAGE.into(), SCALA),
        Language::Sql => (tree_sitter_sequel::LANGUAGE.into(), SQL),
        Language::Swift => (tree_sitter_swift::LANGUAGE.into(), SWIFT),
        Language::Tsx => (tree_sitter_typescript::LANGUAGE_TSX.into(), SCRIPT),
        Language::TypeScript => (tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), SCRIPT),
        Language::Bash
        | Language::Css
        | Language::Html
        | Language::Ruby
        | Language::Toml
        | Language::Text
        | Language::Yaml => return None,
    };
    Some(LanguageGrammar { grammar, roles })
}

type NodeRoles = &'static [(&'static str, NodeRole)];

const C: NodeRoles = &[
    ("function_definition", Whole("function")),
    ("type_definition", MultiLine("type")),
    ("struct_specifier", MultiLine("struct")),
    ("union_specifier", MultiLine("union")),
    ("enum_specifier", MultiLine("enum")),
    ("preproc_function_def", MultiLine("macro")),
];
const CPP: NodeRoles = &[
    ("function_definition", Whole("function")),
    ("type_definition", MultiLine("type")),
    ("class_specifier", Container("class")),
    ("struct_specifier", Container("struct")),
    ("union_specifier", MultiLine("union")),
    ("enum_specifier", MultiLine("enum")),
    ("namespace_definition", Container("namespace")),
    ("concept_definition", Whole("concept")),
    ("preproc_function_def", MultiLine("macro")),
];
const CSHARP: NodeRoles = &[
    ("method_declaration", Whole("method")),
    ("constructor_declaration", Whole("constructor")),
    ("operator_declaration", Whole("operator")),
    ("property_declaration", MultiLine("property")),
    ("local_function_statement", Whole("function")),
    ("delegate_declaration", Whole("delegate")),
    ("enum_declaration", Whole("enum")),
    ("class_declaration", Container("class")),
    ("struct_declaration", Container("struct")),
    ("record_declaration", Container("record")),
    ("interface_declaration", Container("interface")),
    ("namespace_declaration", Container("namespace")),
];
const GO: NodeRoles = &[
    ("function_declaration", Whole("function")),
    ("method_declaration", Whole("method")),
    ("type_declaration", Whole("type")),
];
const JAVA: NodeRoles = &[
    ("method_declaration", Whole("method")),
    ("constructor_declaration", Whole("constructor")),
    ("class_declaration", Container("class")),
    ("interface_declaration", Container("interface")),
    ("enum_declaration", Container("enum")),
    ("record_declaration", Container("record")),
    ("annotation_type_declaration", Container("annotation")),
];
const SCRIPT: NodeRoles = &[
    ("function_declaration", Whole("function")),
    ("generator_function_declaration", Whole("function")),
    ("function_signature", Whole("function")),
    ("method_definition", Whole("method")),
    ("public_field_definition", Binding("method")),
    ("field_definition", Binding("method")),
    ("lexical_declaration", Binding("function")),
    ("variable_declaration", Binding("function")),
    // `exports.name = function () {}`, `Shop.prototype.name = () => {}`
    ("assignment_expression", Binding("function")),
    ("type_alias_declaration", MultiLine("type")),
    ("interface_declaration", Whole("interface")),
    ("enum_declaration", Whole("enum")),
    ("class_declaration", Container("class")),
    ("abstract_class_declaration", Container("class")),
    ("internal_module", Container("namespace")),
    ("module", Container("module")),
];
const JSON: NodeRoles = &[("pair", MultiLine("entry"))];
const KOTLIN: NodeRoles = &[
    ("function_declaration", Whole("function")),
    ("secondary_constructor", Whole("constructor")),
    ("type_alias", Whole("type")),
    ("class_declaration", Container("class")),
    ("object_declaration", Container("object")),
    ("companion_object", Container("object")),
];
const MARKDOWN: NodeRoles = &[("section", Container("section"))];
const PHP: NodeRoles = &[
    ("function_definition", Whole("function")),
    ("method_declaration", Whole("method")),
    ("class_declaration", Container("class")),
    ("interface_declaration", Container("interface")),
    ("trait_declaration", Container("trait")),
    ("enum_declaration", Container("enum")),
    ("namespace_definition", Container("namespace")),
];
const PYTHON: NodeRoles = &[
    ("function_definition", Whole("function")),
    ("class_definition", Container("class")),
];
const RUST: NodeRoles = &[
    ("function_item", Whole("function")),
    ("macro_definition", Whole("macro")),
    ("struct_item", Whole("struct")),
    ("enum_item", Whole("enum")),
    ("union_item", Whole("union")),
    ("type_item", MultiLine("type")),
    ("const_item", MultiLine("const")),
    ("static_item", MultiLine("static")),
    ("trait_item", Container("trait")),
    ("impl_item", Container("impl")),
    ("mod_item", Container("module")),
];
const SCALA: NodeRoles = &[
    ("function_definition", Whole("function")),
    ("given_definition", Whole("given")),
    ("class_definition", Container("class")),
    ("object_definition", Container("object")),
    ("trait_definition", Container("trait")),
    ("enum_definition", Container("enum")),
];
const SQL: NodeRoles = &[("statement", MultiLine("statement"))];
const SWIFT: NodeRoles = &[
    ("function_declaration", Whole("function")),
    ("init_declaration", Whole("constructor")),
    ("class_declaration", Container("class")),
    ("protocol_declaration", Container("protocol")),
];
