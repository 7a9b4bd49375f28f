// Takes one job: claims it, calls for it, and writes down what came of it. The only argument is for
// how many seconds it claims.
const { Client } = require('pg')

// Reads a due job without a lock and takes it only if nobody did meanwhile.
async function claim (db, lease) {
  await db.query('begin')
  const found = await db.query(`select id, attempt, address
    from job where state = 'due' or state = 'claimed' and lease_until <= now()
    order by id limit 1`)
  if (found.rowCount === 0) {
    await db.query('rollback')
    return null
  }
  const job = found.rows[0]
  const done = await db.query(`update job set state = 'claimed', attempt = attempt + 1,
    lease_until = now() + cast($3 as text)::interval
    where id = $1 and attempt = $2`, [job.id, job.attempt, lease + ' seconds'])
  await db.query('commit')
  job.attempt += 1
  return done.rowCount === 1 ? job : null
}

// Sends the job. The key is the same for every attempt, so that the shop can tell a repetition.
async function call (job) {
  const answer = await fetch(process.env.SHOP_URL + '/send', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `job-${job.id}` },
    body: JSON.stringify({ to: job.address })
  })
  if (answer.status !== 200) throw new Error(`the shop answers ${answer.status}`)
  return await answer.text()
}

// Writes down what came of the job, unless a later attempt has it now.
async function finish (db, job, receipt) {
  await db.query('begin')
  const done = await db.query(`update job set state = 'done', lease_until = null
    where id = $1 and attempt = $2`, [job.id, job.attempt])
  if (done.rowCount === 0) {
    await db.query('rollback')
    return
  }
  await db.query('insert into delivery (job, attempt, receipt) values ($1, $2, $3)',
    [job.id, job.attempt, receipt])
  await db.query('commit')
}

async function work (lease) {
  const db = new Client({ connectionString: process.env.DATABASE_URL })
  db.on('error', () => {}) // what became of the connection is told to whoever awaits it
  await db.connect()
  const job = await claim(db, lease)
  if (job === null) {
    console.log('NOTHING')
  } else {
    console.log(`CLAIMED job=${job.id} attempt=${job.attempt}`)
    await finish(db, job, await call(job))
  }
  await db.end()
}

work(process.argv[2]).catch(error => {
  console.error(error)
  process.exit(1)
})
