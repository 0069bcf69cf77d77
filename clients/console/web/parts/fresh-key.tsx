/** A new key, shown until the reader confirms that it is copied. */
import { freshKey } from '../data/session.ts'

export const FreshKey = () =>
  freshKey.value === null ? null : (
    <div class="estimate" role="status">
      <p>Copy the new key now. It is shown only once.</p>
      <code class="secret">{freshKey.value}</code>
      <p>
        <button type="button" onClick={() => (freshKey.value = null)}>
          I have copied it
        </button>
      </p>
    </div>
  )
