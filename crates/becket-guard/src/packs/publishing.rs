//! Package registries: publishing is public and irreversible.

use super::args::FlagStyle;
use super::tool::{ToolRules, fine, on, rules};

rules! {
    PUBLISH = Doubtful "publishing.publish": "publishes a version, which can hardly be taken back",
        "`--dry-run` (or `npm pack`, `cargo package`) shows what would be published; let a person or CI release";
    UNPUBLISH = Severe "publishing.unpublish": "takes away versions that others depend on",
        "deprecate or publish a fix instead, and let a person decide";
    YANK = Doubtful "publishing.yank": "marks a published version as not to be used",
        "let a person decide; a fixed version usually serves better";
    OWNERSHIP = Severe "publishing.ownership": "changes who may publish a package",
        "let a person change owners";
    TAG = Doubtful "publishing.tag": "changes which version everyone gets",
        "let a person or CI move tags";
    REGISTRY = Doubtful "publishing.registry": "changes where packages come from, or lets their install scripts run",
        "keep registry settings in a reviewed file of the project";
    CREDENTIALS = Doubtful "publishing.credentials": "makes or stores credentials for a registry",
        "let a person log in";
    PUSH_IMAGE = Notice "publishing.push-image": "pushes an image or a chart to a registry",
        "make sure of the name and the registry";
}

pub(super) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &["npm", "pnpm", "yarn", "bun", "lerna", "nx"],
        values: "--registry --tag --otp --access --workspace -w --prefix -C --dir --cwd --filter -F --userconfig",
        cases: &[
            fine("** --dry-run"),
            on("unpublish", &UNPUBLISH),
            on("npm unpublish", &UNPUBLISH),
            on("publish|pub", &PUBLISH),
            on("npm publish", &PUBLISH),
            on("release publish", &PUBLISH),
            on("exec|-r|recursive publish", &PUBLISH),
            on("workspaces foreach ** npm publish", &PUBLISH),
            on("deprecate|undeprecate", &YANK),
            fine("owner|dist-tag|dist-tags ls|list"),
            on("owner|author add|rm|remove", &OWNERSHIP),
            on(
                "access grant|revoke|set|public|restricted|2fa-required|2fa-not-required",
                &OWNERSHIP,
            ),
            on("team|org add|rm|create|destroy|set", &OWNERSHIP),
            on("dist-tag|dist-tags|tag add|rm|set|remove", &TAG),
            on("npm tag add|remove", &TAG),
            on(
                "config set registry|_auth*|*:_authToken|*registry|ignore-scripts|strict-ssl|script-shell|npmRegistryServer|unsafeHttpWhitelist",
                &REGISTRY,
            ),
            on(
                "config set registry=*|*registry=*|ignore-scripts=false|strict-ssl=false|script-shell=*|*_authToken=*",
                &REGISTRY,
            ),
            on("token create|revoke", &CREDENTIALS),
            on("npm login|logout", &CREDENTIALS),
            on("login|adduser|logout", &CREDENTIALS),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["cargo"],
        values: "--registry --index --token -p --package --manifest-path --config --target-dir --color -Z --vers --version",
        cases: &[
            fine("** --dry-run|-n"),
            on("publish", &PUBLISH),
            on("release -x|--execute", &PUBLISH),
            on("yank", &YANK),
            fine("owner --list|-l"),
            on("owner", &OWNERSHIP),
            on("login|logout", &CREDENTIALS),
            on("workspaces|smart-release publish", &PUBLISH),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["twine"],
        values: "-r --repository --repository-url -u --username -p --password -c --comment --config-file -i --identity",
        cases: &[on("upload|register", &PUBLISH)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "poetry",
            "uv",
            "hatch",
            "flit",
            "pdm",
            "rye",
            "maturin",
            "setup.py",
            "flit_core",
        ],
        values: "-r --repository --index -u --username -p --password --token --directory --project -C",
        cases: &[
            fine("** --dry-run"),
            on("publish", &PUBLISH),
            on("upload", &PUBLISH),
            on("** upload", &PUBLISH),
            on("config repositories.*|http-basic.*|pypi-token.*", &REGISTRY),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["pip", "pip3"],
        cases: &[on(
            "config set global.index-url|global.extra-index-url|global.trusted-host|install.*",
            &REGISTRY,
        )],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["gem"],
        values: "-k --key --host -v --version -p --platform",
        cases: &[
            on("push", &PUBLISH),
            on("yank", &UNPUBLISH),
            on("owner -a|--add|-r|--remove", &OWNERSHIP),
            on("sources -a|--add|-r|--remove", &REGISTRY),
            on("signin", &CREDENTIALS),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["mvn", "mvnw", "mvnd"],
        values: "-P -pl -f --file -s --settings -T",
        style: FlagStyle::SingleDash,
        cases: &[
            fine("** -DdryRun=true|-DdryRun"),
            on(
                "** deploy|deploy:deploy|deploy:deploy-file|release:perform|release:prepare|nexus-staging:release|central-publishing:publish",
                &PUBLISH,
            ),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["gradle", "gradlew"],
        values: "-p --project-dir -b -c -x --exclude-task -I",
        cases: &[
            fine("** --dry-run|-m"),
            on(
                "** publishToMavenLocal|*:publishToMavenLocal $",
                &PUSH_IMAGE,
            ),
            on(
                "** publish|*:publish|publishPlugins|publishAllPublicationsTo*|publishToSonatype|closeAndRelease*|uploadArchives|jreleaserFullRelease",
                &PUBLISH,
            ),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["sbt"],
        cases: &[on(
            "** publish|publishSigned|sonatype*|ci-release",
            &PUBLISH,
        )],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["dotnet", "nuget"],
        values: "-s --source -k --api-key",
        cases: &[
            on("nuget push", &PUBLISH),
            on("push", &PUBLISH),
            on("nuget delete", &UNPUBLISH),
            on("delete", &UNPUBLISH),
            on("nuget add|update|remove source", &REGISTRY),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "docker", "podman", "nerdctl", "helm", "oras", "skopeo", "crane", "ko",
        ],
        values: "--context -H --host --registry-config",
        cases: &[
            on("push|image|manifest push", &PUSH_IMAGE),
            on("push", &PUSH_IMAGE),
            on("cm-push", &PUSH_IMAGE),
            on("delete", &UNPUBLISH),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "vsce",
            "ovsx",
            "jsr",
            "clasp",
            "web-ext",
            "chrome-webstore-upload",
            "mix",
            "rebar3",
            "stack",
            "cabal",
            "opam",
            "luarocks",
            "pod",
            "melos",
            "dart",
            "flutter",
            "conan",
            "vcpkg",
            "semantic-release",
            "changeset",
            "release-it",
            "np",
            "goreleaser",
            "snapcraft",
            "conda",
            "anaconda",
            "composer",
            "fastlane",
            "cargo-release",
            "jreleaser",
            "wapm",
            "quarto",
        ],
        values: "-p --pat -t --token",
        cases: &[
            fine("** --dry-run|--snapshot|--skip=publish"),
            fine("pub publish -n"),
            on("unpublish", &UNPUBLISH),
            on("publish", &PUBLISH),
            on("pub publish", &PUBLISH),
            on("trunk push", &PUBLISH),
            on("trunk delete|deprecate|add-owner|remove-owner", &UNPUBLISH),
            on("hex.publish", &PUBLISH),
            on("hex.retire", &YANK),
            on("hex publish|retire", &PUBLISH),
            on("upload", &PUBLISH),
            on("release", &PUBLISH),
            on(
                "** deliver|upload_to_app_store|upload_to_play_store|supply",
                &PUBLISH,
            ),
            on("sign|signrelease", &PUSH_IMAGE),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["semantic-release", "np", "release-it"],
        cases: &[
            fine("** --dry-run|-d|--preview|--ci=false"),
            on("", &PUBLISH),
        ],
        ..ToolRules::NEW
    },
];
