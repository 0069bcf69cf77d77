import { type MetricName, metricTable } from './metric-table.ts'

/** Returns the name that the exporter of OpenTelemetry gives to a metric in Prometheus. */
export const prometheusName = (name: MetricName): string =>
  name.replaceAll('.', '_') + (metricTable[name].kind === 'counter' ? '_total' : '')
