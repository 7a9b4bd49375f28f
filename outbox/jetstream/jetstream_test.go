package jetstream_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"lostreply/outbox"
	"lostreply/outbox/jetstream"
)

// startBroker runs a real one, on files of its own.
func startBroker(t *testing.T) *server.Server {
	t.Helper()
	broker, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(),
		NoLog: true, NoSigs: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	go broker.Start()
	if !broker.ReadyForConnections(time.Minute) {
		t.Fatal("the broker did not become ready")
	}
	t.Cleanup(func() {
		broker.Shutdown()
		broker.WaitForShutdown()
	})
	return broker
}

func connect(
	t *testing.T, broker *server.Server, settings jetstream.Settings,
) *jetstream.Connection {
	t.Helper()
	connection := jetstream.NewConnection(broker.ClientURL())
	t.Cleanup(connection.Close)
	if err := connection.Setup(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	return connection
}

var message = outbox.Message{ID: "M1", Payload: `{"contract": "R1", "amount": 25}`}

func send(t *testing.T, connection *jetstream.Connection, want string) {
	t.Helper()
	id, err := connection.Send(t.Context(), message)
	if err != nil || id != want {
		t.Errorf("sent as %q, %v; want %q", id, err, want)
	}
}

// take wants a delivery under this id, or none where the id is empty.
func take(t *testing.T, connection *jetstream.Connection, want string) outbox.Delivery {
	t.Helper()
	delivery, err := connection.Take(t.Context())
	switch {
	case err != nil:
		t.Fatal(err)
	case (delivery == nil) != (want == ""):
		t.Fatalf("took %v, want %q", delivery, want)
	case delivery != nil && (delivery.ID() != want || delivery.Message() != message):
		t.Errorf("took %s %+v, want %s", delivery.ID(), delivery.Message(), want)
	}
	return delivery
}

func wantStatus(t *testing.T, connection *jetstream.Connection, want outbox.BrokerStatus) {
	t.Helper()
	status, err := connection.Status(t.Context())
	if err != nil || status != want {
		t.Errorf("status %+v, %v; want %+v", status, err, want)
	}
}

func TestADeliveryAndItsEnds(t *testing.T) {
	connection := connect(t, startBroker(t),
		jetstream.Settings{Window: time.Minute, AckWait: time.Minute})
	take(t, connection, "")
	send(t, connection, "1")
	send(t, connection, "1(known)")
	take(t, connection, "1.1").Release(t.Context())
	put := take(t, connection, "1.2")
	if put.Failures() != 1 {
		t.Errorf("failures %d", put.Failures())
	}
	err := put.PutOff(t.Context(), time.Millisecond, errors.New("no"))
	if err != nil {
		t.Error(err)
	}
	taken := take(t, connection, "1.3")
	wantStatus(t, connection, outbox.BrokerStatus{Messages: 1, AckPending: 1})
	if err := taken.Ack(t.Context()); err != nil {
		t.Error(err)
	}
	taken.Release(t.Context()) // does nothing after an end
	take(t, connection, "")
	wantStatus(t, connection, outbox.BrokerStatus{Messages: 1})
}

func TestADeadLetter(t *testing.T) {
	connection := connect(t, startBroker(t),
		jetstream.Settings{Window: 100 * time.Millisecond, AckWait: time.Minute})
	send(t, connection, "1")
	err := take(t, connection, "1.1").Bury(t.Context(), outbox.ReasonConflict, outbox.ErrConflict)
	if err != nil {
		t.Error(err)
	}
	take(t, connection, "")
	wantStatus(t, connection, outbox.BrokerStatus{Messages: 1, Dead: 1})
}

func TestOutsideTheWindowAMessageIsNewAgain(t *testing.T) {
	connection := connect(t, startBroker(t),
		jetstream.Settings{Window: 100 * time.Millisecond, AckWait: time.Minute})
	send(t, connection, "1")
	if err := connection.OutlastWindow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := connection.Send(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	take(t, connection, "1.1")
	take(t, connection, "4.1") // the probes took 2 and 3
	wantStatus(t, connection, outbox.BrokerStatus{Messages: 2, AckPending: 2})
}

func TestAWindowThatIsNotOverInTime(t *testing.T) {
	connection := connect(t, startBroker(t),
		jetstream.Settings{Window: time.Hour, AckWait: time.Minute})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := connection.OutlastWindow(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a window of an hour was outlasted: %v", err)
	}
}

func TestABrokerThatIsGone(t *testing.T) {
	broker := startBroker(t)
	connection := connect(t, broker, jetstream.Settings{Window: time.Minute, AckWait: time.Minute})
	send(t, connection, "1")
	taken := take(t, connection, "1.1")
	broker.Shutdown()
	broker.WaitForShutdown()
	if err := taken.Ack(t.Context()); err == nil {
		t.Error("an acknowledgement that nobody heard")
	}
	taken.Release(t.Context())
	if _, err := connection.Send(t.Context(), message); err == nil {
		t.Error("sent to nobody")
	}
	if _, err := connection.Take(t.Context()); err == nil {
		t.Error("took from nobody")
	}
}

// A broker that is alone has nobody to hand the lead to, and does not wait for it.
func TestABrokerThatIsAloneLeadsNothing(t *testing.T) {
	settings := jetstream.Settings{Window: time.Minute, AckWait: time.Minute}
	connection := connect(t, startBroker(t), settings)
	if err := connection.Lead(t.Context(), "n1"); err == nil ||
		!strings.Contains(err.Error(), "alone") {
		t.Errorf("led: %v", err)
	}
}

// Of several brokers the first that is there is used, in the order in which they are named.
func TestTheFirstBrokerThatAnswersIsUsed(t *testing.T) {
	first, second := startBroker(t), startBroker(t)
	settings := jetstream.Settings{Window: time.Minute, AckWait: time.Minute}
	connect(t, first, settings)
	connect(t, second, settings)
	connection := jetstream.NewConnection(first.ClientURL() + "," + second.ClientURL())
	t.Cleanup(connection.Close)
	send(t, connection, "1")
	if status, err := connection.Status(t.Context()); err != nil || status.Messages != 1 {
		t.Errorf("the first says %+v, %v; want one message", status, err)
	}
	first.Shutdown()
	first.WaitForShutdown()
	wantStatus(t, connection, outbox.BrokerStatus{})
}
