/** Questions to Prometheus that many panels ask; `$__rate_interval` is the window that Grafana chooses. */

const window = '[$__rate_interval]'

/** How much a counter grows in a second. */
export const perSecond = (counter: string, by: string): string => `sum by (${by}) (rate(${counter}${window}))`

/** Which value so large a share of a histogram does not exceed. `by` is without `le`. */
export const quantile = (share: number, histogram: string, by?: string): string => {
  const [, name = '', labels = ''] = /^(\w+)(.*)$/.exec(histogram) ?? []
  return `histogram_quantile(${share}, sum by (${by ? `${by}, ` : ''}le) (rate(${name}_bucket${labels}${window})))`
}

/** The usual two of a histogram: what most see, and what the unlucky see. */
export const quantiles = (histogram: string): [expression: string, legend: string][] => [
  [quantile(0.5, histogram), 'half'],
  [quantile(0.99, histogram), '99 of 100'],
]
