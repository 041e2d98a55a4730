// Renders the chart beside it with what Helm renders with: text/template and sprig. Prints the objects as JSON, one a line.
// It is not Helm: no hooks, no lookup, no charts within charts. `go run` with Debian's packages: scripts/edge-tools.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type table = map[string]interface{}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func load(path string) table {
	text, err := os.ReadFile(path)
	must(err)
	values := table{}
	must(yaml.UnmarshalStrict(text, &values))
	return values
}

// Of two tables the second wins, field by field, as with helm's -f.
func merge(below, above table) table {
	for key, value := range above {
		one, isTable := below[key].(table)
		other, isTableToo := value.(table)
		if isTable && isTableToo {
			below[key] = merge(one, other)
		} else {
			below[key] = value
		}
	}
	return below
}

// What Helm adds to sprig, as far as the chart uses it.
func functions(all *template.Template) template.FuncMap {
	made := sprig.TxtFuncMap()
	delete(made, "env")
	delete(made, "expandenv")
	made["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	made["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	made["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	return made
}

var between = regexp.MustCompile(`(?m)^---\s*$`)

func main() {
	folder, given := os.Args[1], os.Args[2:]
	values := load(filepath.Join(folder, "values.yaml"))
	for _, file := range given {
		values = merge(values, load(file))
	}
	chart := load(filepath.Join(folder, "Chart.yaml"))
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(all))
	files, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	must(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(err)
		_, err = all.New(filepath.Base(file)).Parse(string(text))
		must(err)
	}
	data := table{
		"Values":  values,
		"Chart":   table{"Name": chart["name"], "Version": chart["version"], "AppVersion": chart["appVersion"]},
		"Release": table{"Name": "ph", "Namespace": "pilothouse", "Service": "Helm", "IsInstall": true, "IsUpgrade": false},
	}
	for _, file := range files {
		if !strings.HasSuffix(file, ".yaml") {
			continue
		}
		var out bytes.Buffer
		must(all.ExecuteTemplate(&out, filepath.Base(file), data))
		for _, object := range between.Split(out.String(), -1) {
			json, err := yaml.YAMLToJSONStrict([]byte(object))
			if err != nil {
				must(fmt.Errorf("%s: %w in\n%s", filepath.Base(file), err, object))
			}
			if string(json) != "null" {
				fmt.Println(string(json))
			}
		}
	}
}
