/**
 * Metrics of a process: preloaded with `--import` before anything that counts, and only where somebody asks for them.
 * METRICS_PORT: Prometheus reads them at `/metrics` there, on METRICS_HOST (127.0.0.1). OTEL_EXPORTER_OTLP_ENDPOINT:
 * they are sent there.
 */
import { metrics } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { type IMetricReader, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { measureProcess } from './process-metrics.ts'

const { METRICS_PORT, METRICS_HOST = '127.0.0.1', OTEL_EXPORTER_OTLP_ENDPOINT, INSTANCE } = process.env
const service = process.env.OTEL_SERVICE_NAME || INSTANCE || 'tidemark'

/** While a process is stopping, what it still counts goes out this often. */
const flushMs = 500
/** OpenTelemetry's, of which only its own set-up of a whole process reads the variables. */
const usualIntervalMs = 60_000

const readers: IMetricReader[] = []
if (METRICS_PORT) readers.push(prometheusAt(Number(METRICS_PORT)))
if (OTEL_EXPORTER_OTLP_ENDPOINT) {
  const exportIntervalMillis = Number(process.env.OTEL_METRIC_EXPORT_INTERVAL) || usualIntervalMs
  const exportTimeoutMillis = Number(process.env.OTEL_METRIC_EXPORT_TIMEOUT) || exportIntervalMillis / 2
  const exporter = new OTLPMetricExporter()
  readers.push(new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis }))
}
const provider = new MeterProvider({
  readers,
  resource: resourceFromAttributes({ 'service.name': service, 'service.instance.id': INSTANCE ?? service }),
})
metrics.setGlobalMeterProvider(provider)
measureProcess()
process.once('beforeExit', () => void provider.forceFlush().catch(() => {}))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stopping(signal))

/** Exports until the process is gone. Where nobody else heeds the signal, lets it have its usual effect. */
async function stopping(signal: NodeJS.Signals): Promise<void> {
  const flush = () => provider.forceFlush().catch(() => {})
  const isHeeded = process.listenerCount(signal) > 0
  if (isHeeded) setInterval(flush, flushMs).unref()
  await flush()
  if (!isHeeded) process.kill(process.pid, signal)
}

/** A port that is taken is told, and no reason to serve nobody: who scrapes sees that this process is missing. */
function prometheusAt(port: number): PrometheusExporter {
  const options = { port, host: METRICS_HOST, withoutScopeInfo: true, preventServerStart: true }
  const exporter = new PrometheusExporter(options)
  exporter.startServer().catch(error => {
    process.stderr.write(`METRICS_PORT ${port}: there are no metrics of this process: ${error.message}\n`)
  })
  return exporter
}
