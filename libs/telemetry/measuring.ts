/**
 * Sets up the metrics and probes of a process when it is loaded. METRICS_PORT: its internal port on METRICS_HOST
 * (127.0.0.1), with `/metrics` for Prometheus and the probes. OTEL_EXPORTER_OTLP_ENDPOINT: the receiver of metrics.
 */
import { metrics } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { type IMetricReader, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { spanAttributes } from '@tidemark/contracts/traces'
import { openInnerPort } from './inner-port.ts'
import { measureProcess } from './process-metrics.ts'

const { METRICS_PORT, METRICS_HOST = '127.0.0.1', OTEL_EXPORTER_OTLP_ENDPOINT, INSTANCE } = process.env
const service = process.env.OTEL_SERVICE_NAME || INSTANCE || 'tidemark'

/** Interval of exports while the process stops. */
const flushMs = 500
/** The default of OpenTelemetry, which reads its variables only in its own setup of a whole process. */
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
  resource: resourceFromAttributes({
    [spanAttributes.serviceName]: service,
    [spanAttributes.serviceInstance]: INSTANCE ?? service,
  }),
})
metrics.setGlobalMeterProvider(provider)
measureProcess()
process.once('beforeExit', () => void provider.forceFlush().catch(() => {}))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stopping(signal))

/** Exports until the process ends. Without another listener the signal keeps its default effect. */
async function stopping(signal: NodeJS.Signals): Promise<void> {
  const flush = () => provider.forceFlush().catch(() => {})
  const isHeeded = process.listenerCount(signal) > 0
  if (isHeeded) setInterval(flush, flushMs).unref()
  await flush()
  if (!isHeeded) process.kill(process.pid, signal)
}

function prometheusAt(port: number): PrometheusExporter {
  const exporter = new PrometheusExporter({ withoutScopeInfo: true, preventServerStart: true })
  openInnerPort(port, METRICS_HOST, (request, response) =>
    exporter.getMetricsRequestHandler(request, response),
  )
  return exporter
}
