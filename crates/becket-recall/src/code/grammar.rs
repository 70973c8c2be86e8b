//! What is a definition, language by language.

use tree_sitter::Language as Grammar;

use super::language::Language;

/// What a node of the syntax tree is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A piece by itself, whatever is inside.
    Whole(&'static str),
    /// A piece by itself if it is short, taken apart if it is long.
    Container(&'static str),
    /// A piece by itself if it has several lines.
    Lengthy(&'static str),
    /// A piece by itself if a function is what it names.
    Binding(&'static str),
}

use Role::{Binding, Container, Lengthy, Whole};

/// A grammar and the nodes that count.
pub(super) struct Definitions {
    pub(super) grammar: Grammar,
    pub(super) roles: &'static [(&'static str, Role)],
}

impl Definitions {
    pub(super) fn role(&self, kind: &str) -> Option<Role> {
        let found = self.roles.iter().find(|(one, _)| *one == kind);
        found.map(|(_, role)| *role)
    }
}

/// What stands before a definition and belongs to it.
pub(super) fn is_preface(kind: &str) -> bool {
    kind.contains("comment")
        || matches!(
            kind,
            "attribute_item" | "decorator" | "annotation" | "attribute_list" | "marker_annotation"
        )
}

/// Nodes around a definition that are part of it.
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
pub(super) fn definitions(language: Language) -> Option<Definitions> {
    let (grammar, roles): (Grammar, &'static [(&'static str, Role)]) = match language {
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
    Some(Definitions { grammar, roles })
}

type Roles = &'static [(&'static str, Role)];

const C: Roles = &[
    ("function_definition", Whole("function")),
    ("type_definition", Lengthy("type")),
    ("struct_specifier", Lengthy("struct")),
    ("union_specifier", Lengthy("union")),
    ("enum_specifier", Lengthy("enum")),
    ("preproc_function_def", Lengthy("macro")),
];
const CPP: Roles = &[
    ("function_definition", Whole("function")),
    ("type_definition", Lengthy("type")),
    ("class_specifier", Container("class")),
    ("struct_specifier", Container("struct")),
    ("union_specifier", Lengthy("union")),
    ("enum_specifier", Lengthy("enum")),
    ("namespace_definition", Container("namespace")),
    ("concept_definition", Whole("concept")),
    ("preproc_function_def", Lengthy("macro")),
];
const CSHARP: Roles = &[
    ("method_declaration", Whole("method")),
    ("constructor_declaration", Whole("constructor")),
    ("operator_declaration", Whole("operator")),
    ("property_declaration", Lengthy("property")),
    ("local_function_statement", Whole("function")),
    ("delegate_declaration", Whole("delegate")),
    ("enum_declaration", Whole("enum")),
    ("class_declaration", Container("class")),
    ("struct_declaration", Container("struct")),
    ("record_declaration", Container("record")),
    ("interface_declaration", Container("interface")),
    ("namespace_declaration", Container("namespace")),
];
const GO: Roles = &[
    ("function_declaration", Whole("function")),
    ("method_declaration", Whole("method")),
    ("type_declaration", Whole("type")),
];
const JAVA: Roles = &[
    ("method_declaration", Whole("method")),
    ("constructor_declaration", Whole("constructor")),
    ("class_declaration", Container("class")),
    ("interface_declaration", Container("interface")),
    ("enum_declaration", Container("enum")),
    ("record_declaration", Container("record")),
    ("annotation_type_declaration", Container("annotation")),
];
const SCRIPT: Roles = &[
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
    ("type_alias_declaration", Lengthy("type")),
    ("interface_declaration", Whole("interface")),
    ("enum_declaration", Whole("enum")),
    ("class_declaration", Container("class")),
    ("abstract_class_declaration", Container("class")),
    ("internal_module", Container("namespace")),
    ("module", Container("module")),
];
const JSON: Roles = &[("pair", Lengthy("entry"))];
const KOTLIN: Roles = &[
    ("function_declaration", Whole("function")),
    ("secondary_constructor", Whole("constructor")),
    ("type_alias", Whole("type")),
    ("class_declaration", Container("class")),
    ("object_declaration", Container("object")),
    ("companion_object", Container("object")),
];
const MARKDOWN: Roles = &[("section", Container("section"))];
const PHP: Roles = &[
    ("function_definition", Whole("function")),
    ("method_declaration", Whole("method")),
    ("class_declaration", Container("class")),
    ("interface_declaration", Container("interface")),
    ("trait_declaration", Container("trait")),
    ("enum_declaration", Container("enum")),
    ("namespace_definition", Container("namespace")),
];
const PYTHON: Roles = &[
    ("function_definition", Whole("function")),
    ("class_definition", Container("class")),
];
const RUST: Roles = &[
    ("function_item", Whole("function")),
    ("macro_definition", Whole("macro")),
    ("struct_item", Whole("struct")),
    ("enum_item", Whole("enum")),
    ("union_item", Whole("union")),
    ("type_item", Lengthy("type")),
    ("const_item", Lengthy("const")),
    ("static_item", Lengthy("static")),
    ("trait_item", Container("trait")),
    ("impl_item", Container("impl")),
    ("mod_item", Container("module")),
];
const SCALA: Roles = &[
    ("function_definition", Whole("function")),
    ("given_definition", Whole("given")),
    ("class_definition", Container("class")),
    ("object_definition", Container("object")),
    ("trait_definition", Container("trait")),
    ("enum_definition", Container("enum")),
];
const SQL: Roles = &[("statement", Lengthy("statement"))];
const SWIFT: Roles = &[
    ("function_declaration", Whole("function")),
    ("init_declaration", Whole("constructor")),
    ("class_declaration", Container("class")),
    ("protocol_declaration", Container("protocol")),
];
