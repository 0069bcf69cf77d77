/** The playground of the cloud: one page by one of its endpoints, with the backends tried and the cost. */
import { signal } from '@preact/signals'
import type { CloudHealth } from '@tidemark/sdk'
import { addressQuery, changeQuery } from '../../data/address.ts'
import { tidemark } from '../../data/client.ts'
import { useCommand, useReading } from '../../data/reading.ts'
import { readerOf } from '../../data/session.ts'
import { Choice } from '../../parts/controls.tsx'
import { Snippet } from '../../parts/copy-as.tsx'
import { Field, Screen, submitting } from '../../parts/layout.tsx'
import { Empty, Fault } from '../../parts/messages.tsx'
import {
  backends,
  bodyOf,
  type EndpointName,
  endpointOf,
  endpoints,
  type Fetched,
  fetchPage,
  formatOf,
  pools,
  waits,
} from './endpoints.ts'
import { Result } from './result.tsx'

/** The last page: a call is billed, so leaving the screen does not lose it. */
const last = signal<{ reader: string; format: string; page: Fetched } | null>(null)

export function Cloud() {
  const values = addressQuery.value
  const endpoint = endpointOf(values)
  const body = bodyOf(values)
  const fetching = useCommand(async () => {
    last.value = null
    const format = formatOf(values)
    last.value = { reader: readerOf(), format, page: await fetchPage(endpoint, body) }
  })
  const call = { id: endpoints[endpoint].id, body: { ...body, url: body.url || 'https://example.com/' } }
  const shown = last.value?.reader === readerOf() ? last.value : null
  return (
    <Screen title="Cloud" {...(shown !== null && { call })}>
      <form class="search" onSubmit={submitting(fetching.run)}>
        <Field label="URL" isWide>
          {id => (
            <input
              {...{ id, required: true, spellcheck: false, autocomplete: 'off' }}
              placeholder="https://example.com/"
              value={values.get('url') ?? ''}
              onInput={event => changeQuery({ url: event.currentTarget.value })}
            />
          )}
        </Field>
        <Options endpoint={endpoint} />
        <button type="submit" class="main" disabled={fetching.isRunning}>
          {fetching.isRunning ? 'Fetching …' : 'Fetch for 1 cloud page'}
        </button>
        <p class="form-note" role="status">
          {fetching.isRunning
            ? 'A browser may need a minute.'
            : 'A page costs one cloud page; proxies and the vendor also cost US dollars. A challenge or a failure costs nothing.'}
        </p>
      </form>
      <Backends />
      <Fault error={fetching.error.value} />
      {shown === null && !fetching.isRunning && (
        <Empty title="No page is fetched yet. The same call as code:">
          <Snippet call={call} />
        </Empty>
      )}
      {shown && <Result format={shown.format} page={shown.page} />}
    </Screen>
  )
}

function Options({ endpoint }: { endpoint: EndpointName }) {
  const values = addressQuery.value
  const { formats, options } = endpoints[endpoint]
  const shown = options(values)
  const endpointChoices = (Object.keys(endpoints) as EndpointName[]).map(
    name => [name, endpoints[name].words] as const,
  )
  return (
    <>
      <Option name="endpoint" label="Endpoint" value={endpoint} choices={endpointChoices} />
      {formats.length > 0 && (
        <Option name="format" label="Format" value={formatOf(values)} choices={formats} />
      )}
      {shown.includes('backend') && <Option name="backend" label="Backend" choices={backends} />}
      {shown.includes('wait') && <Option name="wait" label="Wait for" choices={waits} />}
      {shown.includes('pool') && <Option name="pool" label="Proxy pool" choices={pools} />}
      {shown.includes('country') && (
        <Field label="Proxy country">
          {id => (
            <input
              {...{ id, spellcheck: false, autocomplete: 'off', maxLength: 2, size: 6 }}
              placeholder="any"
              value={values.get('country') ?? ''}
              onInput={event => changeQuery({ country: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      {shown.includes('chrome') && (
        <label class="check">
          <input
            type="checkbox"
            checked={values.get('chrome') === '1'}
            onChange={event => changeQuery({ chrome: event.currentTarget.checked ? 1 : null })}
          />
          Run scripts
        </label>
      )}
    </>
  )
}

type OptionProps = {
  name: string
  label: string
  choices: readonly (readonly [value: string, words: string])[]
  value?: string
}

/** A choice whose value is in the address. The first one is the default. */
const Option = ({ name, label, choices, value }: OptionProps) => (
  <Field label={label}>
    {id => (
      <Choice
        {...{ id, choices, value: value ?? addressQuery.value.get(name) ?? choices[0]?.[0] ?? '' }}
        onChoose={chosen => changeQuery({ [name]: chosen })}
      />
    )}
  </Field>
)

/** Lists the configured backends and the missing ones, so that the reader chooses a backend that works. */
function Backends() {
  const health = useReading(signal => tidemark.cloud.health({ signal }), [])
  if (health.data === null) return null
  const { configured, missing } = enginesOf(health.data)
  return (
    <p class="quiet">
      Backends of this installation: {['http', ...configured].join(', ')}.
      {missing.length > 0 && ` Not configured: ${missing.join(', ')}.`}
    </p>
  )
}

function enginesOf({ engines }: CloudHealth) {
  const { search: _, ...ofPages } = engines
  const all = Object.entries(ofPages)
  return {
    configured: all.filter(([, { configured }]) => configured).map(([name]) => name),
    missing: all
      .filter(([, { configured }]) => !configured)
      .map(([name, { setting }]) => (setting === null ? name : `${name} (${setting})`)),
  }
}
