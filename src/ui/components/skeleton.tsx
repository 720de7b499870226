/** What stands where the conversation will be, until it is known. */
export function Skeleton() {
  return (
    <div class="skeleton" role="status" aria-label="Loading the conversation">
      <span class="bone short right" />
      <span class="bone" />
      <span class="bone" />
      <span class="bone half" />
    </div>
  );
}
