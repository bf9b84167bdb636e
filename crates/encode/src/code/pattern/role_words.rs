//! The closed lists roles are told by. A word belongs here if most projects that use it mean the same.

/// Decorators and annotations of functions.
#[rustfmt::skip]
pub(super) const ON_FUNCTIONS: &[(&str, &str)] = &[
    ("fixture", "fixture"), ("command", "command"), ("cli", "command"), ("group", "command"), ("task", "task"),
    ("shared_task", "task"), ("scheduled", "task"), ("cron", "task"), ("job", "task"), ("receiver", "handler"),
    ("eventlistener", "handler"), ("kafkalistener", "handler"), ("rabbitlistener", "handler"), ("on_event", "handler"),
    ("errorhandler", "error handler"), ("exception_handler", "error handler"), ("exceptionhandler", "error handler"),
    ("app_errorhandler", "error handler"), ("before_request", "middleware"), ("after_request", "middleware"),
    ("middleware", "middleware"), ("bean", "config block"), ("beforeeach", "test setup"), ("before", "test setup"),
    ("aftereach", "test setup"), ("beforeall", "test setup"), ("query", "resolver"), ("mutation", "resolver"),
    ("resolvefield", "resolver"), ("subscribemessage", "handler"), ("messagepattern", "handler"), ("tool", "tool"),
    ("eventpattern", "handler"), ("validator", "validator"), ("field_validator", "validator"), ("tauri::command", "command"),
    ("benchmark", "benchmark"), ("pyfunction", "python binding"), ("wasm_bindgen", "wasm binding"),
    ("contextmanager", "context manager"), ("initbinder", "config block"), ("modelattribute", "handler"),
];

/// Decorators, annotations and derives of types.
#[rustfmt::skip]
pub(super) const ON_TYPES: &[(&str, &str)] = &[
    ("entity", "model"), ("table", "model"), ("schema", "model"), ("document", "model"), ("fromrow", "model"),
    ("queryable", "model"), ("insertable", "model"), ("deriveentitymodel", "model"), ("embeddable", "model"),
    ("mappedsuperclass", "model"), ("component", "component"), ("injectable", "service"), ("service", "service"),
    ("repository", "repository"), ("controller", "controller"), ("restcontroller", "controller"),
    ("configuration", "config block"), ("module", "module"), ("resolver", "resolver"), ("parser", "command"),
    ("subcommand", "command"), ("args", "command"), ("valueenum", "command"), ("error", "error type"),
    ("dataclass", "data class"), ("inputtype", "data class"), ("objecttype", "data class"), ("define", "data class"),
    ("attrs", "data class"), ("webmvctest", "test suite"), ("springboottest", "test suite"),
    ("controlleradvice", "error handler"), ("restcontrolleradvice", "error handler"),
];

/// Bases of types.
#[rustfmt::skip]
pub(super) const BASES: &[(&str, &str)] = &[
    ("model", "model"), ("basemodel", "model"), ("base", "model"), ("declarativebase", "model"), ("document", "model"),
    ("sqlmodel", "model"), ("baseentity", "model"), ("schema", "model"), ("basesettings", "config block"),
    ("basecommand", "command"), ("command", "command"), ("testcase", "test suite"), ("migration", "migration"),
    ("component", "component"), ("purecomponent", "component"), ("form", "form"), ("flaskform", "form"),
    ("modelform", "form"), ("jparepository", "repository"), ("crudrepository", "repository"),
    ("repository", "repository"), ("modeladmin", "admin"), ("serializer", "serializer"),
    ("modelserializer", "serializer"), ("appconfig", "config block"), ("enum", "enumeration"), ("intenum", "enumeration"),
    ("strenum", "enumeration"), ("namedtuple", "data class"), ("typeddict", "data class"),
];

/// How the name of a type ends.
#[rustfmt::skip]
pub(super) const TYPE_SUFFIXES: &[(&str, &str)] = &[
    ("Error", "error type"), ("Exception", "error type"), ("Config", "config block"), ("Configuration", "config block"),
    ("Settings", "config block"), ("Options", "config block"), ("Opts", "config block"), ("Controller", "controller"),
    ("Service", "service"), ("Repository", "repository"), ("Factory", "factory"), ("Builder", "builder"),
    ("Handler", "handler"), ("Middleware", "middleware"), ("Adapter", "adapter"), ("Provider", "provider"),
    ("Module", "module"), ("Command", "command"), ("View", "view"), ("ViewSet", "view"), ("Serializer", "serializer"),
    ("Validator", "validator"), ("Guard", "guard"), ("Resolver", "resolver"), ("Dto", "data class"), ("DTO", "data class"),
    ("Request", "request type"), ("Response", "response type"), ("Test", "test suite"), ("Tests", "test suite"),
    ("Event", "event"), ("Plugin", "plugin"), ("Visitor", "visitor"), ("Iterator", "iterator"), ("Listener", "handler"),
    ("Args", "command"), ("Entity", "model"), ("Form", "form"), ("Page", "component"), ("Interceptor", "middleware"),
];

/// Traits and interfaces every type may implement: no structure of a project.
#[rustfmt::skip]
pub(super) const PLAIN_INTERFACES: &[&str] = &[
    "Debug", "Clone", "Copy", "PartialEq", "Eq", "Ord", "PartialOrd", "Hash", "Drop", "Deref", "DerefMut", "AsRef",
    "AsMut", "Borrow", "Send", "Sync", "Default", "Iterator", "IntoIterator", "Index", "IndexMut", "Into", "Unpin",
    "Serializable", "Cloneable", "Comparable", "Iterable", "Object", "object", "Generic", "ABC", "Protocol", "type",
    "UnwindSafe", "RefUnwindSafe", "Sized", "Runnable", "Closeable", "AutoCloseable", "EventEmitter",
];

/// Interfaces of libraries whose one method everybody has to write: only what happens in it may be a structure.
#[rustfmt::skip]
pub(super) const LIBRARY_INTERFACES: &[&str] = &[
    "Display", "From", "TryFrom", "FromStr", "Error", "Serialize", "Deserialize", "Visitor", "Read", "Write", "Add",
    "Sub", "Mul", "Neg", "Not", "Extend", "FromIterator", "ToString", "Future", "Stream", "Hasher", "BufRead", "Fn",
    "Supplier", "Function", "Consumer", "Predicate", "Callable", "Comparator", "ToTokens", "Parse", "IntoResponse",
];

/// Extractors that only handlers of web frameworks take.
#[rustfmt::skip]
pub(super) const EXTRACTORS: &[&str] = &[
    "Json", "State", "Path", "Query", "Extension", "Form", "Multipart", "HttpRequest", "Data", "HeaderMap", "TypedHeader",
];

/// The same in Go, and what a function of Go gives back that is run around others.
#[rustfmt::skip]
pub(super) const GO_CONTEXTS: &[&str] = &[
    "*gin.Context", "echo.Context", "*fiber.Ctx", "fiber.Ctx", "*fasthttp.RequestCtx",
    "iris.Context", "*Context",
];
pub(super) const GO_MIDDLEWARE: &[&str] =
    &["gin.HandlerFunc", "echo.MiddlewareFunc", "http.Handler", "HandlerFunc", "fiber.Handler"];

pub(super) const SCHEMA_LIBRARIES: &[&str] = &["z", "zod", "yup", "Yup", "Joi", "joi", "v", "t"];

pub(super) const ROUTES: &[&str] = &[
    "route",
    "get",
    "post",
    "put",
    "patch",
    "delete",
    "head",
    "options",
    "getmapping",
    "postmapping",
    "putmapping",
    "deletemapping",
    "patchmapping",
    "requestmapping",
    "api_view",
    "api_route",
    "websocket",
    "all",
];
