/** The form of a crawl: its estimate first, if the reader wants it, then its start. */
import { useSignal } from '@preact/signals'
import type { CrawlEstimate } from '@tidemark/sdk'
import { addressOf, addressQuery, openScreen } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { useCommand } from '../data/reading.ts'
import { counted, duration, range } from '../data/words.ts'
import { Check, Choice, Input, withScheme } from '../parts/controls.tsx'
import { CommandButton, Facts, Field, submitting } from '../parts/layout.tsx'
import { Fault } from '../parts/messages.tsx'

const renderings = [
  ['none', 'never'],
  ['auto', 'if a page is empty'],
  ['always', 'always'],
] as const

function useForm() {
  const form = {
    url: useSignal(addressQuery.value.get('url') ?? ''),
    maxPages: useSignal(addressQuery.value.get('max_pages') ?? '100'),
    maxCost: useSignal(addressQuery.value.get('max_cost_usd') ?? ''),
    render: useSignal<'none' | 'auto' | 'always'>('none'),
    isObeying: useSignal(true),
  }
  const body = () => ({
    url: withScheme(form.url.value.trim()),
    ...(form.maxPages.value !== '' && { max_pages: Number(form.maxPages.value) }),
    ...(form.maxCost.value !== '' && { max_cost_usd: Number(form.maxCost.value) }),
    ...(form.render.value !== 'none' && { render: form.render.value }),
    ...(!form.isObeying.value && { respect_robots: false }),
  })
  return { ...form, body }
}

export function StartCrawl() {
  const { url, maxPages, maxCost, render, isObeying, body } = useForm()
  const estimate = useSignal<CrawlEstimate | null>(null)
  const estimating = useCommand(async () => {
    starting.error.value = null // it may concern another address
    estimate.value = null
    estimate.value = await tidemark.crawls.estimate(body())
  })
  const starting = useCommand(async () => {
    const { id } = await tidemark.crawls.start(body())
    openScreen(addressOf(`/crawls/${id}`))
  })
  return (
    <form class="form" onSubmit={submitting(starting.run)}>
      <Field label="URL" isWide>
        {id => <Input id={id} value={url} placeholder="https://example.com/" />}
      </Field>
      <Field label="At most pages">{id => <Input id={id} value={maxPages} type="number" isOptional />}</Field>
      <Field label="At most US dollars">
        {id => <Input id={id} value={maxCost} type="number" isOptional isAmount />}
      </Field>
      <Field label="Run scripts">
        {id => (
          <Choice
            {...{ id, value: render.value, choices: renderings }}
            onChoose={value => {
              render.value = value as 'none'
            }}
          />
        )}
      </Field>
      <Check label="Obey robots.txt" value={isObeying} />
      <div class="form-foot">
        <button type="submit" class="main" disabled={starting.isRunning}>
          Start
        </button>
        <CommandButton command={estimating}>
          {estimating.isRunning ? 'Estimating …' : 'Estimate'}
        </CommandButton>
        <a href={addressOf('/scan', { url: url.value })}>Scan one page instead</a>
      </div>
      <Fault error={starting.error.value} />
      {estimate.value && <Estimate estimate={estimate.value} />}
    </form>
  )
}

const bases = {
  last_run: 'the last crawl',
  sitemaps: 'the sitemaps',
  links: 'the links of the seed',
  urls: 'the list',
}

function Estimate({
  estimate: { pages, seconds_at_polite_rate: seconds, cost, basis, out },
}: {
  estimate: CrawlEstimate
}) {
  return (
    <div class="estimate" role="status">
      <Facts
        facts={[
          ['Pages', range(pages)],
          [
            'Cost',
            `${range(cost.pages)} pages${cost.cloud_pages ? `, ${range(cost.cloud_pages)} cloud pages` : ''}`,
          ],
          ['Time at a polite rate', `${duration(seconds.low * 1000)} – ${duration(seconds.high * 1000)}`],
          ['By', bases[basis.by]],
        ]}
      />
      {out.length > 0 && (
        <details>
          <summary>{counted(out.length, 'example')} of URLs that the crawl would skip</summary>
          <ul class="list">
            {out.map(({ url, rule, because }) => (
              <li key={url}>
                <code>{url}</code> <span class="quiet">{because ?? rule}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
