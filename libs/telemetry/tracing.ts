/**
 * Sets up the tracing of a process when it is loaded: instrumentations, sampling, export, and the export at its end.
 */
import { createNoopMeter, type ProxyTracerProvider, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace'
import { spanAttributes } from '@tidemark/contracts/traces'
import { register } from 'import-in-the-middle/register-hooks.mjs'
import { exportAtEnd } from './export-at-end.ts'
import { keepingErrors } from './kept-errors.ts'
import { commands, statements } from './only-sampled.ts'
import { inwardPropagator } from './propagator.ts'
import { redacting } from './redacting-exporter.ts'
import { isSampledHere, samplerOf, samplingFrom } from './sampler.ts'

const probes = new Set(['/v1/health', '/v1/ready', '/livez', '/startupz', '/readyz', '/metrics'])

register({ include: ['ioredis', 'pg'] })

process.env.OTEL_METRICS_EXPORTER = 'none'
process.env.OTEL_LOGS_EXPORTER ??= 'none'

const { INSTANCE, OTEL_SERVICE_NAME } = process.env
const batches = spanBatches(redacting(new OTLPTraceExporter()), process.env)
const instrumentations = [
  new HttpInstrumentation({
    requireParentforOutgoingSpans: true,
    ignoreIncomingRequestHook: ({ url = '' }) => probes.has(url),
  }),
  // Requests are traced only in sampled traces. In others the span of the caller reports the failure.
  new UndiciInstrumentation({ requireParentforSpans: true, ignoreRequestHook: () => !isSampledHere() }),
  statements(),
  commands(),
]
const sdk = new NodeSDK({
  serviceName: OTEL_SERVICE_NAME || INSTANCE || 'tidemark',
  ...(INSTANCE && { resource: resourceFromAttributes({ [spanAttributes.serviceInstance]: INSTANCE }) }),
  sampler: samplerOf(samplingFrom(process.env)),
  spanProcessors: [keepingErrors(batches)],
  textMapPropagator: inwardPropagator,
  instrumentations,
})
sdk.start()
// Our own metrics count everything of interest, and undici's histogram has a series for each requested host.
for (const one of instrumentations) one.setMeterProvider({ getMeter: () => createNoopMeter() })

exportAtEnd(flush, () => sdk.shutdown())

async function flush(): Promise<void> {
  const provider = (trace.getTracerProvider() as ProxyTracerProvider).getDelegate()
  if ('forceFlush' in provider && typeof provider.forceFlush === 'function') {
    await provider.forceFlush()
  }
}

/**
 * Sends spans in batches as set by the standard variables `OTEL_BSP_…`, with the defaults of the SDK. Spans that the
 * exporter cannot take in time are lost.
 */
function spanBatches(exporter: SpanExporter, env: NodeJS.ProcessEnv): SpanProcessor {
  const variables = {
    maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
    maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
    exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
  }
  const options = Object.entries(variables).flatMap(([option, name]) =>
    env[name] ? [[option, Number(env[name])] as const] : [],
  )
  return new BatchSpanProcessor({ exporter, ...Object.fromEntries(options) })
}
