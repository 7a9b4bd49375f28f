"""Takes one job: claims it, calls for it, and writes down what came of it.

The only argument is for how many seconds it claims.
"""
import json
import os
import sys
import urllib.request

import psycopg2


def claim(db, lease):
    """Read a due job without a lock and take it only if nobody did meanwhile."""
    with db, db.cursor() as cursor:
        cursor.execute(
            "select id, attempt, address"
            " from job where state = 'due' or state = 'claimed' and lease_until <= now()"
            " order by id limit 1")
        found = cursor.fetchone()
        if found is None:
            return None
        number, attempt, address = found
        cursor.execute(
            "update job set state = 'claimed', attempt = attempt + 1,"
            " lease_until = now() + cast(%s as text)::interval"
            " where id = %s and attempt = %s", (lease + " seconds", number, attempt))
        taken = cursor.rowcount == 1
    return (number, attempt + 1, address) if taken else None


def call(number, address):
    """Send the job. The key is the same for every attempt, so that the shop can tell a repetition."""
    request = urllib.request.Request(
        os.environ["SHOP_URL"] + "/send", data=json.dumps({"to": address}).encode(),
        headers={"Content-Type": "application/json", "Idempotency-Key": f"job-{number}"})
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


def finish(db, number, attempt, receipt):
    """Write down what came of the job, unless a later attempt has it now."""
    with db, db.cursor() as cursor:
        cursor.execute(
            "update job set state = 'done', lease_until = null"
            " where id = %s and attempt = %s", (number, attempt))
        if cursor.rowcount == 1:
            cursor.execute(
                "insert into delivery (job, attempt, receipt) values (%s, %s, %s)",
                (number, attempt, receipt))


def work(lease):
    db = psycopg2.connect(os.environ["DATABASE_URL"])
    job = claim(db, lease)
    if job is None:
        print("NOTHING")
    else:
        number, attempt, address = job
        print(f"CLAIMED job={number} attempt={attempt}", flush=True)
        finish(db, number, attempt, call(number, address))
    db.close()


work(sys.argv[1])
