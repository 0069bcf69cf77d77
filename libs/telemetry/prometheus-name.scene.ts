import { type MetricName, metricTable } from './metric-table.ts'

/** Returns the name of a metric in Prometheus, which the exporter of OpenTelemetry makes. */
export const prometheusName = (name: MetricName): string =>
  name.replaceAll('.', '_') + (metricTable[name].kind === 'counter' ? '_total' : '')
