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
import { exportAtEnd } from './export-at-end.ts'
import { openInnerPort } from './inner-port.ts'
import { measureProcess } from './process-metrics.ts'

const { METRICS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT, INSTANCE } = process.env
/** An empty variable counts as unset. An empty host would be every address. */
const host = process.env.METRICS_HOST || '127.0.0.1'
const service = process.env.OTEL_SERVICE_NAME || INSTANCE || 'tidemark'

/** The default of OpenTelemetry, which reads its variables only in its own setup of a whole process. */
const usualIntervalMs = 60_000

const readers: IMetricReader[] = []
if (METRICS_PORT && isPort(Number(METRICS_PORT))) readers.push(prometheusAt(Number(METRICS_PORT)))
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
exportAtEnd(() => provider.forceFlush())

/** Returns whether it is a port. The service rejects an invalid one together with its other settings. */
function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535
}

function prometheusAt(port: number): PrometheusExporter {
  const exporter = new PrometheusExporter({ withoutScopeInfo: true, preventServerStart: true })
  openInnerPort(port, host, (request, response) => exporter.getMetricsRequestHandler(request, response))
  return exporter
}
