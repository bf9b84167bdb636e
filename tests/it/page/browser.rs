//! A real Chromium, driven over WebDriver. One chromedriver serves the whole run, each tab is a browser of its own with a
//! fresh profile. Nothing of it outlives the tests, however they end.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use axum::http::Method;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const DEADLINE: Duration = Duration::from_secs(60);
/// Quiet, alone and without the network; root has no sandbox.
const FLAGS: &str = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --window-size=1200,900";
/// Ends whatever it has started when the other end of its input is gone.
const KEEPER: &str = "chromedriver --port=0 & cat > /dev/null; trap : TERM; kill 0; wait; rm -rf \"$0\"; kill -9 0";

/// Where somebody does without.
pub(crate) fn is_wanted() -> bool {
    let wanted = std::env::var_os("LOKID_NO_BROWSER").is_none_or(|value| value != "1");
    if !wanted {
        println!("skipped: $LOKID_NO_BROWSER is set");
    }
    wanted
}

/// The address of the driver.
fn driver() -> &'static str {
    static DRIVER: OnceLock<(String, Child)> = OnceLock::new();
    let (address, _) = DRIVER.get_or_init(|| {
        for (program, package) in [("chromium", "chromium"), ("chromedriver", "chromium-driver")] {
            let there = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            assert!(
                there.is_ok_and(|status| status.success()),
                "there is no `{program}`: install it (Debian: `{package}`), or set LOKID_NO_BROWSER=1 to go without"
            );
        }
        let folder = tempfile::Builder::new().prefix("lokid-browser-").tempdir().unwrap().keep();
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER]).arg(&folder).env("TMPDIR", &folder).process_group(0);
        let mut keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(keeper.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port =
            lines.find_map(|line| Some(line.split_once("successfully on port ")?.1.trim_matches('.').to_owned()));
        // What it says later is read, and nobody's business.
        std::thread::spawn(move || lines.for_each(drop));
        (format!("http://127.0.0.1:{}", port.expect("a port of chromedriver")), keeper)
    });
    address
}

/// A command of Chromium's own, beyond the standard.
#[derive(Debug)]
struct Own(&'static str, Value);

impl WebDriverCompatibleCommand for Own {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.0))
    }

    fn method_and_body(&self, _: &url::Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.1.to_string()))
    }
}

pub(crate) struct Tab {
    runtime: Runtime,
    client: Option<Client>,
}

impl Tab {
    pub(crate) fn new() -> Tab {
        Tab::with(&[])
    }

    /// With more flags for Chromium.
    pub(crate) fn with(flags: &[&str]) -> Tab {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let arguments: Vec<&str> = FLAGS.split_whitespace().chain(flags.iter().copied()).collect();
        let wanted = json!({
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
            // A question stays open until the test has answered it.
            "unhandledPromptBehavior": "ignore",
        });
        let Value::Object(wanted) = wanted else { unreachable!("an object") };
        let client = runtime.block_on(ClientBuilder::new(HttpConnector::new()).capabilities(wanted).connect(driver()));
        Tab { runtime, client: Some(client.unwrap()) }
    }

    fn client(&self) -> &Client {
        self.client.as_ref().unwrap()
    }

    #[track_caller]
    pub(crate) fn go(&self, address: &str) {
        self.runtime.block_on(self.client().goto(address)).unwrap();
    }

    pub(crate) fn address(&self) -> String {
        self.runtime.block_on(self.client().current_url()).unwrap().into()
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub(crate) fn value(&self, expression: &str) -> Value {
        let script = format!("return {expression}");
        self.runtime
            .block_on(self.client().execute(&script, Vec::new()))
            .unwrap_or_else(|e| panic!("{expression}: {e}"))
    }

    /// The same in a frame of the page, by its number.
    #[track_caller]
    pub(crate) fn in_frame(&self, number: u16, expression: &str) -> Value {
        self.runtime.block_on(self.client().enter_frame(number)).unwrap();
        let value = self.value(expression);
        self.runtime.block_on(self.client().enter_parent_frame()).unwrap();
        value
    }

    /// What becomes of a promise in the page.
    #[track_caller]
    pub(crate) fn promised(&self, promise: &str) -> Value {
        let script = format!("const done = arguments[0]; ({promise}).then(done, (why) => done(`failed: ${{why}}`))");
        self.runtime.block_on(self.client().execute_async(&script, Vec::new())).unwrap()
    }

    /// Asks the page until the expression says something true; a page that is being left has no answer.
    #[track_caller]
    pub(crate) fn until(&self, expression: &str) -> Value {
        let script = format!("return {expression}");
        let deadline = Instant::now() + DEADLINE;
        loop {
            let answer = self.runtime.block_on(self.client().execute(&script, Vec::new()));
            let is_true =
                |value: &Value| !matches!(value, Value::Null | Value::Bool(false)) && value != "" && value != 0;
            match answer {
                Ok(value) if is_true(&value) => return value,
                answer if Instant::now() > deadline => {
                    panic!("{expression} never held: {answer:?}\nat {}\n{}", self.address(), self.text())
                }
                _ => std::thread::park_timeout(Duration::from_millis(10)),
            }
        }
    }

    /// Until the words are to be read on the page.
    #[track_caller]
    pub(crate) fn until_text(&self, words: &str) {
        self.until(&format!("document.body && document.body.innerText.includes({})", json!(words)));
    }

    pub(crate) fn text(&self) -> String {
        self.value("document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    /// Does something to the element of that name. A look that was made anew meanwhile has another, or has it in a moment.
    #[track_caller]
    fn on(&self, css: &str, deed: impl AsyncFn(Element) -> Result<(), CmdError>) {
        let deadline = Instant::now() + DEADLINE;
        let is_anew = |error: &CmdError| {
            error.is_stale_element_reference() || error.to_string().contains("element not interactable")
        };
        loop {
            let done = self.runtime.block_on(async { deed(self.client().find(Locator::Css(css)).await?).await });
            match done {
                Ok(()) => return,
                Err(error) if is_anew(&error) && Instant::now() < deadline => {}
                Err(error) => panic!("{css}: {error}\nat {}\n{}", self.address(), self.text()),
            }
        }
    }

    #[track_caller]
    pub(crate) fn click(&self, css: &str) {
        self.on(css, async |element| element.click().await);
    }

    /// Presses a button and waits for what is said of it.
    #[track_caller]
    pub(crate) fn act(&self, within: &str, label: &str, told: &str) {
        self.button(within, label);
        self.until_text(told);
    }

    /// Presses the first button of that name within what is named, as soon as there is one. A look that was made anew
    /// meanwhile has another.
    #[track_caller]
    pub(crate) fn button(&self, within: &str, label: &str) {
        let all = format!("[...document.querySelectorAll({})]", json!(format!("{within} button")));
        let found = format!("{all}.find((one) => one.textContent === {})", json!(label));
        let deadline = Instant::now() + DEADLINE;
        loop {
            self.until(&format!("(() => {{ const one = {found}; if (one) one.dataset.found = ''; return !!one; }})()"));
            let clicked = self
                .runtime
                .block_on(async { self.client().find(Locator::Css("button[data-found]")).await?.click().await });
            match clicked {
                Ok(()) => return,
                Err(error) => assert!(Instant::now() < deadline, "{label} in {within}: {error}"),
            }
        }
    }

    /// Empties a field and types into it.
    #[track_caller]
    pub(crate) fn retype(&self, css: &str, words: &str) {
        self.on(css, async |element| {
            element.clear().await?;
            element.send_keys(words).await
        });
    }

    /// Types into a field.
    #[track_caller]
    pub(crate) fn type_into(&self, css: &str, keys: &str) {
        self.on(css, async |element| element.send_keys(keys).await);
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub(crate) fn press(&self, keys: &str) {
        let strokes = keys.chars().flat_map(|value| [KeyAction::Down { value }, KeyAction::Up { value }]);
        let strokes = strokes.fold(KeyActions::new("keys".to_owned()), KeyActions::then);
        self.runtime.block_on(self.client().perform_actions(strokes)).unwrap();
    }

    fn own(&self, path: &'static str, body: Value) -> Value {
        self.runtime.block_on(self.client().issue_cmd(Own(path, body))).unwrap()
    }

    /// A command of the developer tools.
    pub(crate) fn tools(&self, command: &str, parameters: Value) -> Value {
        self.own("goog/cdp/execute", json!({"cmd": command, "params": parameters}))
    }

    pub(crate) fn width(&self, pixels: u32) {
        let size = json!({"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.tools("Emulation.setDeviceMetricsOverride", size);
    }

    pub(crate) fn scheme(&self, name: &str) {
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": name}]});
        self.tools("Emulation.setEmulatedMedia", media);
    }

    pub(crate) fn without_scripts(&self) {
        self.tools("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    }

    /// What the console has said since it was last asked.
    pub(crate) fn console(&self) -> Vec<String> {
        let told = self.own("se/log", json!({"type": "browser"}));
        told.as_array().unwrap().iter().map(|line| line["message"].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = self.runtime.block_on(client.close());
        }
    }
}
