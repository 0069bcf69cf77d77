/** Prometheus expressions that several panels use; `$__rate_interval` is Grafana's window. */

const window = '[$__rate_interval]'

/** Returns the growth of a counter per second. */
export const perSecond = (counter: string, by: string): string => `sum by (${by}) (rate(${counter}${window}))`

/**
 * Returns the quantile of a histogram: the value that this share of observations does not exceed. `by` is without `le`.
 */
export const quantile = (share: number, histogram: string, by?: string): string => {
  const [, name = '', labels = ''] = /^(\w+)(.*)$/.exec(histogram) ?? []
  return `histogram_quantile(${share}, sum by (${by ? `${by}, ` : ''}le) (rate(${name}_bucket${labels}${window})))`
}

/** Returns the usual two quantiles of a histogram: the median and the slowest requests. */
export const quantiles = (histogram: string): [expression: string, legend: string][] => [
  [quantile(0.5, histogram), 'half'],
  [quantile(0.99, histogram), '99 of 100'],
]
