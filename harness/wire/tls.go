package wire

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"

	"lostreply/harness/clock"
)

// Authority is a run's own certificate authority, for clients that demand TLS. It lives in memory.
type Authority struct {
	root []byte // DER
	leaf tls.Certificate
}

// authorityLife is how long certificates hold: longer than any run, and from a day before it, for
// workers whose clock was moved back.
const authorityLife = 365 * 24 * time.Hour

// NewAuthority makes an authority and one certificate for localhost, 127.0.0.1 and ::1.
func NewAuthority() (*Authority, error) {
	rootKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of the run's authority: %w", err)
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of the run's certificate: %w", err)
	}
	now := clock.Now()
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "lostreply run authority"},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.Add(authorityLife),
		KeyUsage: x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
	}
	rootBytes, err := x509.CreateCertificate(rand.Reader, root, root, &rootKey.PublicKey, rootKey)
	if err != nil {
		return nil, fmt.Errorf("sign the run's authority: %w", err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore: root.NotBefore, NotAfter: root.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	leafBytes, err := x509.CreateCertificate(rand.Reader, leaf, root, &leafKey.PublicKey, rootKey)
	if err != nil {
		return nil, fmt.Errorf("sign the run's certificate: %w", err)
	}
	return &Authority{root: rootBytes, leaf: tls.Certificate{
		Certificate: [][]byte{leafBytes, rootBytes}, PrivateKey: leafKey}}, nil
}

// PEM is the authority's certificate, for PGSSLROOTCERT and NODE_EXTRA_CA_CERTS.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.root})
}

// errNoTLS is why a client that begins with a TLS handshake is turned away.
var errNoTLS = errors.New("a client began with TLS, and this run has no certificate authority")

// encrypt is the server's side of TLS with a client.
func (l *Listener) encrypt(ctx context.Context, client net.Conn) (net.Conn, error) {
	if l.config.Authority == nil {
		return client, errNoTLS
	}
	encrypted := tls.Server(client, &tls.Config{
		Certificates: []tls.Certificate{l.config.Authority.leaf},
		NextProtos:   []string{"postgresql"}, // the ALPN name of sslnegotiation=direct
	})
	if err := encrypted.HandshakeContext(ctx); err != nil {
		return client, fmt.Errorf("TLS handshake with a client: %w", err)
	}
	return encrypted, nil
}
