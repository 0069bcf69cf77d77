/** Wires webhook: it decides which webhook each run sends, delivers it, and stores the signing secrets. */
import { reporter } from '@tidemark/bus/outages'
import { serve } from '@tidemark/bus/rpc'
import { readSettings } from '@tidemark/config/settings'
import * as operatorRpc from '@tidemark/contracts/rpc/operator'
import { lagOf } from '@tidemark/db/lag'
import { relay } from '@tidemark/db/outbox'
import { runService } from '@tidemark/db/run-service'
import { createClient, type HttpClient } from '@tidemark/http/client'
import { createGuard } from '@tidemark/http/guard'
import { resolverOf } from '@tidemark/http/resolve'
import { sealer } from '@tidemark/secrets/seal'
import { measureLags } from '@tidemark/telemetry/lag-metrics'
import { createLog } from '@tidemark/telemetry/log'
import { gauge } from '@tidemark/telemetry/metrics'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { overdueSeconds } from './adapters/overdue.ts'
import { openSecrets } from './adapters/secrets.ts'
import type { Endpoint } from './concurrency/breakers.ts'
import { openGate } from './concurrency/gate.ts'
import { openOutstanding } from './concurrency/outstanding.ts'
import { database } from './database.ts'
import { sweepAttempts } from './policies/sweep-attempts.ts'
import { Settings } from './settings.ts'
import { batchesProjection, runsProjection, startDeciding } from './wiring/deciding.ts'
import { startAnnouncing, startDelivering } from './wiring/delivering.ts'
import type { WebhookParts } from './wiring/parts.ts'
import { serveRequests } from './wiring/serve-requests.ts'

const name = 'webhook'
const { schema } = database

/** Maximum wait in ms for a slot of a host. Then the delivery is postponed, and deliveries to other hosts proceed. */
const maxHostWaitMs = 1_000
/** Connections for test webhooks, in addition to those for deliveries. */
const connectionsForSamples = 8

/** Rejects with SettingsError, or when bus or database cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = readSettings(Settings, env)
  const log = createLog(name)
  const report = reporter(log, 'a delivery could not be processed')
  return runService({ name, settings, database, poolSize: 10, report }, signal, serving => {
    const { bus, db, started } = serving
    started.use(measurePool(name, db.pool))
    const client = started.use(openClient(settings))
    const outbox = relay({ bus, pool: db.pool, schema, signal: serving.signal, report })
    started.defer(() => outbox.close())
    const secrets = openSecrets(db.pool, sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD))
    const parts: WebhookParts = { ...serving, settings, client, outbox, secrets, ...limitsOf(settings) }
    started.use(gauge('tidemark.webhook.broken_hosts', emit => emit(hostsOf(parts.gate.broken()), {})))
    started.use(
      gauge('tidemark.webhook.overdue.seconds', async emit =>
        emit(await overdueSeconds(db.pool, parts.gate.broken()), {}),
      ),
    )
    const lags = () =>
      Promise.all([runsProjection, batchesProjection].map(one => lagOf({ bus, pool: db.pool, ...one })))
    started.use(measureLags(lags))
    const announcing = startAnnouncing(parts)
    const deciding = startDeciding(parts, announcing)
    const swept = sweepAttempts({ ...serving, pool: db.pool, days: settings.LOG_RETENTION_DAYS })
    return {
      ended: Promise.all([
        ...[deciding.ended, announcing.ended, startDelivering(parts)],
        ...[serveRequests(parts), swept],
        serve(bus, operatorRpc.lags.webhook, async () => ({ lags: await lags() }), serving),
      ]),
      check: deciding.fault,
      warn: secrets.warning,
    }
  })
}

const hostsOf = (broken: Endpoint[]): number => new Set(broken.map(({ host }) => host)).size

function limitsOf(settings: Settings) {
  const shares = {
    perHost: settings.WEBHOOK_HOST_IN_FLIGHT,
    perProject: settings.WEBHOOK_PROJECT_IN_FLIGHT,
  }
  const failures = settings.WEBHOOK_FAILURES_IN_A_ROW
  const gate = openGate({ ...shares, patienceMs: maxHostWaitMs, failures })
  const inAll = settings.WEBHOOK_IN_FLIGHT
  return { gate, outstanding: openOutstanding({ ...shares, inAll, broken: gate.broken }) }
}

function openClient(settings: Settings): HttpClient {
  const { EGRESS_ALLOW, SAMPLE_ORIGIN, WEBHOOK_TIMEOUT_MS, WEBHOOK_HOST_IN_FLIGHT } = settings
  return createClient({
    guard: createGuard({ allow: EGRESS_ALLOW, allowPeers: SAMPLE_ORIGIN === '' ? [] : [SAMPLE_ORIGIN] }),
    resolver: resolverOf(settings),
    connectTimeoutMs: WEBHOOK_TIMEOUT_MS,
    // Retries have the same number of slots again at the gate.
    connectionsPerOrigin: 2 * WEBHOOK_HOST_IN_FLIGHT + connectionsForSamples,
  })
}
