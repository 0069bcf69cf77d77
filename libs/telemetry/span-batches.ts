/** Sends spans in batches, as the variables `OTEL_BSP_…` of the standard say; what an exporter cannot take in time is lost. */
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace'

const variables = {
  maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
  maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
  exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
}

/** Variables that are not set are as the SDK has them. */
export function spanBatches(exporter: SpanExporter, env: NodeJS.ProcessEnv): SpanProcessor {
  const said = Object.entries(variables).flatMap(([option, name]) =>
    env[name] ? [[option, Number(env[name])] as const] : [],
  )
  return new BatchSpanProcessor({ exporter, ...Object.fromEntries(said) })
}
