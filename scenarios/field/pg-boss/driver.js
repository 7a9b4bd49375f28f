// Drives pg-boss as its users do: one queue, jobs sent to it, a worker whose handler succeeds or
// throws, and the supervision that gives expired jobs back. Usage: driver.js setup | send | expire |
// work OUTCOME.
const { PgBoss } = require('pg-boss')

const queue = 'mail'

async function setup (boss) {
  await boss.createQueue(queue, { expireInSeconds: 60, retryLimit: 2, retryDelay: 0 })
}

// Sent again, it is the same job.
async function send (boss) {
  await boss.send(queue, { to: 'Elm Street 1' }, { id: 'a11ce000-0000-4000-8000-000000000001' })
}

async function expire (boss) {
  await boss.supervise(queue)
}

// Takes one job, or none where none waits or the database is out of reach. The worker settles it by
// itself once the handler has returned or thrown, and offWork waits for that.
async function work (boss, [outcome]) {
  const me = process.env.LOSTREPLY_WORKER_NAME
  const waiting = await boss.getDb().executeSql(
    "select from pgboss.job where name = $1 and state < 'active'", [queue])
  if (waiting.rows.length === 0) {
    console.log('NOTHING')
    return
  }
  const options = { batchSize: 1, includeMetadata: true }
  await new Promise(resolve => {
    boss.on('error', resolve)
    boss.work(queue, options, async ([job]) => {
      resolve()
      if (outcome === 'fail') throw new Error(`${me} fails`)
      return { by: me, attempt: job.retryCount }
    }).catch(resolve)
  })
  await boss.offWork(queue)
}

async function main ([command, ...args]) {
  const boss = new PgBoss({
    connectionString: process.env.DATABASE_URL,
    migrate: command === 'setup',
    supervise: false,
    schedule: false
  })
  let failure = null
  boss.on('error', error => { failure = error })
  await boss.start()
  await { setup, send, expire, work }[command](boss, args)
  await boss.stop()
  if (failure !== null) throw failure
}

main(process.argv.slice(2)).catch(error => {
  console.error(error)
  process.exit(1)
})
