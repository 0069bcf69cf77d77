/** Prometheus expressions that several panels use; `$__rate_interval` is Grafana's window. */

const window = '[$__rate_interval]'

/** How much a counter grows in a second. */
export const perSecond = (counter: string, by: string): string => `sum by (${by}) (rate(${counter}${window}))`

/** Which value so large a share of a histogram does not exceed. `by` is without `le`. */
export const quantile = (share: number, histogram: string, by?: string): string => {
  const [, name = '', labels = ''] = /^(\w+)(.*)$/.exec(histogram) ?? []
  return `histogram_quantile(${share}, sum by (${by ? `${by}, ` : ''}le) (rate(${name}_bucket${labels}${window})))`
}

/** The usual two quantiles of a histogram: the median and the slowest requests. */
export const quantiles = (histogram: string): [expression: string, legend: string][] => [
  [quantile(0.5, histogram), 'half'],
  [quantile(0.99, histogram), '99 of 100'],
]
