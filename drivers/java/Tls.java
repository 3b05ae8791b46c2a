package drivers;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Java reads key stores. The task names PEM files. */
final class Tls {
  private Tls() {}

  static TrustManagerFactory trust(Task.TlsFiles files) throws IOException, GeneralSecurityException {
    KeyStore store = null; // that of Java
    if (files.ca() != null) {
      store = emptyStore();
      int number = 0;
      for (Certificate each : certificates(files.ca())) store.setCertificateEntry("ca" + number++, each);
    }
    TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory;
  }

  /** Null: the client has no certificate. */
  static KeyManagerFactory keys(Task.TlsFiles files) throws IOException, GeneralSecurityException {
    if (files.cert() == null) return null;
    KeyStore store = emptyStore();
    Certificate[] chain = certificates(files.cert()).toArray(Certificate[]::new);
    store.setKeyEntry("client", privateKey(files.key()), new char[0], chain);
    KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, new char[0]);
    return factory;
  }

  static SSLSocketFactory sockets(Task.TlsFiles files) throws IOException, GeneralSecurityException {
    KeyManagerFactory keys = keys(files);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys == null ? null : keys.getKeyManagers(), trust(files).getTrustManagers(), null);
    return files.serverName() == null ? context.getSocketFactory() : new Named(context.getSocketFactory(), files.serverName());
  }

  /** Its sockets expect this name in the certificate, whatever the address is. */
  private static final class Named extends SSLSocketFactory {
    private final SSLSocketFactory sockets;
    private final String name;

    Named(SSLSocketFactory sockets, String name) {
      this.sockets = sockets;
      this.name = name;
    }

    @Override
    public Socket createSocket(Socket socket, String host, int port, boolean autoClose) throws IOException {
      return sockets.createSocket(socket, name, port, autoClose);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return createSocket(new Socket(host, port), host, port, true);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
      return createSocket(new Socket(host, port, from, fromPort), host, port, true);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
      return createSocket(new Socket(host, port), name, port, true);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
      return createSocket(new Socket(host, port, from, fromPort), name, port, true);
    }

    @Override
    public String[] getDefaultCipherSuites() {
      return sockets.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
      return sockets.getSupportedCipherSuites();
    }
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    return store;
  }

  private static Collection<? extends Certificate> certificates(String file) throws IOException, GeneralSecurityException {
    try (InputStream input = Files.newInputStream(Path.of(file))) {
      return CertificateFactory.getInstance("X.509").generateCertificates(input);
    }
  }

  private static PrivateKey privateKey(String file) throws IOException, GeneralSecurityException {
    String base64 = Files.readString(Path.of(file)).replaceAll("-----[^-]+-----|\\s", "");
    PKCS8EncodedKeySpec key = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
    try {
      return KeyFactory.getInstance("RSA").generatePrivate(key);
    } catch (InvalidKeySpecException error) {
      return KeyFactory.getInstance("EC").generatePrivate(key);
    }
  }
}
