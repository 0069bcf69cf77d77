/** The columns of the operator's tables. */
import type {
  CostState,
  HostState,
  ProjectionState,
  ProjectState,
  QueueState,
  ServiceState,
  StreamState,
} from '../../data/operator.ts'
import { bytes, count, duration } from '../../data/words.ts'
import { Mark, Time } from '../../parts/marks.tsx'
import type { Column } from '../../parts/table.tsx'

/** A number that is quiet if it is 0, or a dash if it is unknown. */
const number = (value: number | null) =>
  value ? count(value) : <span class="quiet">{value === null ? '–' : '0'}</span>
const age = (seconds: number) => (seconds > 0 ? duration(seconds * 1_000) : <span class="quiet">–</span>)
const usd = (value: number | null) => (value === null ? '–' : value.toFixed(2))

export const services: Column<ServiceState>[] = [
  { key: 'service', label: 'Service', cell: ({ service }) => service },
  { key: 'state', label: 'State', cell: ({ status }) => <Mark state={status} /> },
  {
    key: 'count',
    label: 'Processes',
    isNumber: true,
    isMinor: true,
    cell: ({ instances }) => number(instances.length),
  },
  {
    key: 'cause',
    label: 'Names and problems',
    cell: ({ instances }) => <span class="wrap">{instances.map(wordsOf).join(' · ')}</span>,
  },
]

const maxInstances = 8

function wordsOf(
  { instance, status, cause, age_seconds }: ServiceState['instances'][number],
  n: number,
): string {
  if (n > maxInstances) return ''
  if (n === maxInstances) return 'and others'
  if (status === 'silent') return `${instance}: silent for ${duration(age_seconds * 1_000)}`
  return cause === null ? instance : `${instance}: ${cause}`
}

export const queues: Column<QueueState>[] = [
  { key: 'service', label: 'Service', isMinor: true, cell: ({ service }) => service },
  { key: 'queue', label: 'Queue', isMain: true, cell: ({ stream, consumer }) => `${stream} ${consumer}` },
  { key: 'waiting', label: 'Waiting', isNumber: true, cell: ({ waiting }) => number(waiting) },
  { key: 'flight', label: 'In flight', isNumber: true, cell: ({ in_flight }) => number(in_flight) },
  {
    key: 'again',
    label: 'Redelivered',
    isNumber: true,
    isMinor: true,
    cell: ({ redelivered }) => number(redelivered),
  },
  { key: 'oldest', label: 'Oldest', isNumber: true, cell: ({ oldest_seconds }) => age(oldest_seconds) },
]

export const projections: Column<ProjectionState>[] = [
  { key: 'service', label: 'Service', isMinor: true, cell: ({ service }) => service },
  {
    key: 'projection',
    label: 'Projection',
    isMain: true,
    cell: ({ projection, stream }) => `${stream} ${projection}`,
  },
  { key: 'messages', label: 'Behind', isNumber: true, cell: ({ messages }) => number(messages) },
  { key: 'seconds', label: 'Since', isNumber: true, cell: ({ seconds }) => age(seconds) },
]

export const hosts: Column<HostState>[] = [
  { key: 'origin', label: 'Host', isMain: true, cell: ({ origin }) => origin },
  {
    key: 'state',
    label: 'State',
    cell: ({ is_paused }) => <Mark state={is_paused ? 'paused' : 'open'} />,
  },
  { key: 'pauses', label: 'Pauses', isNumber: true, cell: ({ pauses }) => number(pauses) },
  { key: 'until', label: 'Pause ends', cell: ({ paused_until }) => <Time at={paused_until} /> },
]

const nameOf = ({ project_id, name }: { project_id: number; name: string | null }): string =>
  name === null ? `project ${project_id}` : name

export const projects: Column<ProjectState>[] = [
  { key: 'id', label: 'No.', isNumber: true, isMinor: true, cell: ({ project_id }) => project_id },
  { key: 'name', label: 'Project', isMain: true, cell: nameOf },
  { key: 'tier', label: 'Tier', isMinor: true, cell: ({ tier }) => tier },
  { key: 'running', label: 'Running', isNumber: true, cell: ({ running }) => number(running) },
  { key: 'queued', label: 'Queued', isNumber: true, cell: ({ queued }) => number(queued) },
  { key: 'started', label: 'Started', isNumber: true, isMinor: true, cell: ({ started }) => number(started) },
  { key: 'pages', label: 'Pages', isNumber: true, cell: ({ pages }) => number(pages) },
  {
    key: 'cloud',
    label: 'Cloud pages',
    isNumber: true,
    isMinor: true,
    cell: ({ cloud_pages }) => number(cloud_pages),
  },
  {
    key: 'cost',
    label: 'USD',
    isNumber: true,
    isMinor: true,
    cell: ({ cloud_cost_usd }) => usd(cloud_cost_usd),
  },
]

export const costs: Column<CostState>[] = [
  { key: 'name', label: 'Project', isMain: true, cell: nameOf },
  { key: 'cost', label: 'USD', isNumber: true, cell: ({ cloud_cost_usd }) => usd(cloud_cost_usd) },
  { key: 'pages', label: 'Cloud pages', isNumber: true, cell: ({ cloud_pages }) => number(cloud_pages) },
  { key: 'calls', label: 'Model calls', isNumber: true, cell: ({ model_calls }) => number(model_calls) },
]

export const streams: Column<StreamState>[] = [
  { key: 'stream', label: 'Stream', isMain: true, cell: ({ stream }) => stream },
  { key: 'messages', label: 'Messages', isNumber: true, cell: ({ messages }) => number(messages) },
  { key: 'bytes', label: 'Size', isNumber: true, cell: row => bytes(row.bytes) },
  {
    key: 'full',
    label: 'Full',
    isNumber: true,
    cell: ({ bytes: held, max_bytes }) => max_bytes !== null && `${Math.round((100 * held) / max_bytes)} %`,
  },
]
