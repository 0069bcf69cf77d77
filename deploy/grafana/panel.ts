/**
 * Generates Grafana's JSON of dashboards. A dashboard is a table of panels with their content, unit and normal values.
 * All other options of Grafana are set here, once.
 */

/** Units as Grafana names them. */
export type Unit = 's' | 'bytes' | 'short' | 'reqps' | 'percentunit' | 'ops'

/** A line, or one for each set of labels, which `legend` names as `{{label}}`. */
export type Query = readonly [expression: string, legend: string]

export type Panel = {
  title: string
  /** Its content, and its normal values. */
  description: string
  /** Default: a plain number. */
  unit?: Unit
  queries: readonly Query[]
  /** Thresholds of a warning and of a fault. */
  limits?: readonly [warn: number, bad: number]
  /** One number instead of lines over time. */
  isNumber?: true
  /** Lines are stacked, as parts of a whole. */
  isStacked?: true
  /** Values may be negative. */
  isSigned?: true
}

export type Dashboard = {
  /** Id of the dashboard. The name of its file and its address in Grafana contain it. */
  uid: string
  title: string
  description: string
  /** Each row has a title; its panels share the width. */
  rows: readonly { title: string; panels: readonly Panel[] }[]
}

/** The version of Grafana 12. Newer versions of Grafana upgrade it. */
const schemaVersion = 41
const width = 24
const heights = { row: 1, number: 4, lines: 8 }
const datasource = { type: 'prometheus', uid: '$' + '{datasource}' }

/** Returns the dashboard as Grafana imports it. */
export function dashboardJson({ uid, title, description, rows }: Dashboard): object {
  return {
    uid: `tidemark-${uid}`,
    title: `Tidemark: ${title}`,
    description,
    tags: ['tidemark'],
    schemaVersion,
    version: 1,
    editable: true,
    graphTooltip: 1,
    timezone: 'browser',
    time: { from: 'now-3h', to: 'now' },
    refresh: '30s',
    templating: { list: [datasourceVariable] },
    annotations: { list: [alertAnnotation] },
    links: [],
    panels: laidOut(rows),
  }
}

const datasourceVariable = {
  name: 'datasource',
  label: 'Prometheus',
  type: 'datasource',
  query: 'prometheus',
  current: {},
  hide: 0,
  includeAll: false,
  multi: false,
  options: [],
  refresh: 1,
  regex: '',
}

/** Marks the times of alerts on every panel. */
const alertAnnotation = {
  name: 'Alerts',
  datasource,
  enable: true,
  iconColor: 'red',
  expr: 'ALERTS{alertname!="",alertstate="firing"}',
  titleFormat: '{{alertname}}',
  step: '60s',
}

function laidOut(rows: Dashboard['rows']): object[] {
  const placed: object[] = []
  let y = 0
  for (const { title, panels } of rows) {
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: width, h: heights.row },
    })
    y += heights.row
    const h = panels.every(({ isNumber }) => isNumber) ? heights.number : heights.lines
    const w = Math.floor(width / panels.length)
    for (const [n, panel] of panels.entries())
      placed.push(panelJson(panel, placed.length + 1, { x: n * w, y, w, h }))
    y += h
  }
  return placed
}

type GridPosition = { x: number; y: number; w: number; h: number }

function panelJson(panel: Panel, id: number, gridPos: GridPosition): object {
  const { title, description, queries, isNumber } = panel
  return {
    id,
    type: isNumber ? 'stat' : 'timeseries',
    title,
    description,
    gridPos,
    datasource,
    fieldConfig: { defaults: fieldOf(panel), overrides: [] },
    options: isNumber ? numberOptions : linesOptions,
    targets: queries.map(([expr, legendFormat], n) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + n),
      datasource,
      editorMode: 'code',
      expr,
      legendFormat,
      range: !isNumber,
      instant: isNumber === true,
    })),
  }
}

function fieldOf({ unit = 'short', limits, isNumber, isStacked, isSigned }: Panel): object {
  const [warn, bad] = limits ?? []
  const steps = [
    { color: 'green', value: null },
    ...(limits
      ? [
          { color: 'orange', value: warn },
          { color: 'red', value: bad },
        ]
      : []),
  ]
  const custom = {
    drawStyle: 'line',
    lineWidth: 1,
    fillOpacity: isStacked ? 30 : 5,
    showPoints: 'never',
    stacking: { mode: isStacked ? 'normal' : 'none', group: 'A' },
    thresholdsStyle: { mode: limits ? 'dashed' : 'off' },
  }
  return {
    unit,
    ...(!isSigned && { min: 0 }),
    color: { mode: isNumber ? 'thresholds' : 'palette-classic' },
    thresholds: { mode: 'absolute', steps },
    ...(!isNumber && { custom }),
  }
}

const numberOptions = {
  colorMode: 'value',
  graphMode: 'none',
  justifyMode: 'auto',
  orientation: 'auto',
  reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
  textMode: 'value_and_name',
}
const linesOptions = {
  legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
  tooltip: { mode: 'multi', sort: 'desc' },
}
