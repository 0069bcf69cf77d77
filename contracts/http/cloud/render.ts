/** `POST /v1/cloud/render`: a page after its scripts have run; `/v1/cloud/screenshot`: its screenshot. */
import { Type } from 'typebox'
import { described } from '../../primitives.ts'
import { WaitFor } from '../../rpc/fetch.ts'
import { returnFormatOf, Url } from './page.ts'
import { PageActions } from './page-action.ts'

const waitFor = (usual: WaitFor) =>
  Type.With(described(WaitFor, 'The event that ends the loading of the page.'), { default: usual })

export const RenderRequest = Type.Object(
  {
    url: Url,
    return_format: returnFormatOf('raw', 'markdown', 'text', 'png'),
    wait_for: waitFor('load'),
    actions: Type.Optional(PageActions),
  },
  { $id: 'CloudRenderRequest' },
)

export const ScreenshotRequest = Type.Object(
  // People view a screenshot, so it waits for late changes of the page.
  { url: Url, wait_for: waitFor('networkidle'), actions: Type.Optional(PageActions) },
  { $id: 'CloudScreenshotRequest' },
)
