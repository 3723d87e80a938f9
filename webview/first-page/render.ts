/** What the build runs for the content of the first page: the panel before it knows anything. */
import { render } from "svelte/server";
import Panel from "../Panel.svelte";

export const content = render(Panel).body;
