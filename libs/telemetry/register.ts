/**
 * Tracing of a process: preloaded with `--import`, and only where OTEL_EXPORTER_OTLP_ENDPOINT is set, so that a
 * process without one loads none of this. Metrics are `register-metrics.ts`, to be loaded before it.
 */
import { createNoopMeter, type ProxyTracerProvider, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { register } from 'import-in-the-middle/register-hooks.mjs'
import { inwardPropagator } from './propagator.ts'
import { redacting } from './redacting-exporter.ts'

/** While a process is stopping, what it still traces goes out this often. */
const flushMs = 500
const probes = new Set(['/v1/health', '/v1/ready', '/v1/live'])

register({ include: ['ioredis', 'pg', 'pg-pool'] })

process.env.OTEL_METRICS_EXPORTER = 'none'
process.env.OTEL_LOGS_EXPORTER ??= 'none'

const undici = new UndiciInstrumentation({ requireParentforSpans: true })
const sdk = new NodeSDK({
  serviceName: process.env.OTEL_SERVICE_NAME || process.env.INSTANCE || 'tidemark',
  traceExporter: redacting(new OTLPTraceExporter()),
  textMapPropagator: inwardPropagator,
  instrumentations: [
    new HttpInstrumentation({
      requireParentforOutgoingSpans: true,
      ignoreIncomingRequestHook: ({ url = '' }) => probes.has(url),
    }),
    undici,
    new PgInstrumentation({ requireParentSpan: true }),
    new IORedisInstrumentation({ requireParentSpan: true }),
  ],
})
sdk.start()
// Its histogram has a series for each host that is asked, and a crawler asks them all.
undici.setMeterProvider({ getMeter: () => createNoopMeter() })

process.once('beforeExit', () => void sdk.shutdown().catch(() => {}))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stopping(signal))

/** Flushes until the process is gone. Where nobody else heeds the signal, lets it have its usual effect. */
async function stopping(signal: NodeJS.Signals): Promise<void> {
  if (process.listenerCount(signal) === 0) {
    await sdk.shutdown().catch(() => {})
    process.kill(process.pid, signal)
    return
  }
  setInterval(flush, flushMs).unref()
  await flush()
}

async function flush(): Promise<void> {
  const provider = (trace.getTracerProvider() as ProxyTracerProvider).getDelegate()
  if ('forceFlush' in provider && typeof provider.forceFlush === 'function') {
    await provider.forceFlush().catch(() => {})
  }
}
