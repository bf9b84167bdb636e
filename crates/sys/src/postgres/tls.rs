//! Encryption of a connection to a database, and whom it trusts.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_platform_verifier::Verifier;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

use super::super::plain;
use super::PostgresError;
use super::parameters::{Parameters, Roots, SslMode};

const MOST_CERTIFICATES: u64 = 8 << 20;

#[derive(Clone)]
pub(super) struct Connector(Arc<ClientConfig>);

impl Connector {
    pub(super) fn new(parameters: &Parameters) -> Result<Connector, PostgresError> {
        let provider = Arc::new(ring::default_provider());
        let inner = match (parameters.ssl_mode(), parameters.roots()) {
            // As libpq has it: `require` looks at the certificate only when it is told by whose word.
            (SslMode::Disable | SslMode::Prefer, _) | (SslMode::Require, Roots::Usual) => None,
            (_, Roots::File(file)) => Some(by_file(file, &provider)?),
            (_, Roots::Usual | Roots::System) => Some(by_system(&provider)?),
        };
        let names = parameters.ssl_mode() == SslMode::VerifyFull;
        let judge = Arc::new(Judge { inner, names, provider: provider.clone() });
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.map_err(|error| PostgresError::Tls(error.to_string()))?;
        let config = config.dangerous().with_custom_certificate_verifier(judge).with_no_client_auth();
        Ok(Connector(Arc::new(config)))
    }
}

fn by_system(provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, PostgresError> {
    let verifier = Verifier::new(provider.clone()).map_err(|error| PostgresError::Tls(error.to_string()))?;
    Ok(Arc::new(verifier))
}

fn by_file(file: &Path, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, PostgresError> {
    let wrong = |why: String| PostgresError::Tls(format!("{}: {why}", file.display()));
    let text = plain::read(file, MOST_CERTIFICATES).map_err(|error| PostgresError::Tls(error.to_string()))?;
    let text = text.ok_or_else(|| wrong("there is no such file".to_owned()))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build();
    Ok(verifier.map_err(|error| wrong(error.to_string()))?)
}

/// Looks at a certificate as closely as was asked for.
#[derive(Debug)]
struct Judge {
    /// Nobody: whatever the server shows is taken, as long as it has the key to it.
    inner: Option<Arc<dyn ServerCertVerifier>>,
    names: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Judge {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        use CertificateError::{NotValidForName, NotValidForNameContext};
        let Some(inner) = &self.inner else { return Ok(ServerCertVerified::assertion()) };
        match inner.verify_server_cert(end, others, name, ocsp, now) {
            Err(rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. })) if !self.names => {
                Ok(ServerCertVerified::assertion())
            }
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Connector {
    type Stream = Encrypted<S>;
    type TlsConnect = Greeting;
    type Error = std::convert::Infallible;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Greeting, Self::Error> {
        // It is asked for the folder of a socket, too, which nobody encrypts.
        Ok(Greeting { name: ServerName::try_from(domain.to_owned()).ok(), config: self.0.clone() })
    }
}

pub(super) struct Greeting {
    name: Option<ServerName<'static>>,
    config: Arc<ClientConfig>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Greeting {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        let connector = TlsConnector::from(self.config);
        Box::pin(async move {
            let name =
                self.name.ok_or_else(|| io::Error::other("the host has no name that a certificate could show"))?;
            Ok(Encrypted(connector.connect(name, stream).await?))
        })
    }
}

pub(super) struct Encrypted<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
