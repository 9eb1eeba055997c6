"""Build description of humanoid_bringup."""

from glob import glob

from setuptools import find_packages, setup

PACKAGE = "humanoid_bringup"

setup(
    name=PACKAGE,
    version="0.1.0",
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        *((f"share/{PACKAGE}/{folder}", glob(f"{folder}/*")) for folder in ("config", "launch", "rviz", "foxglove")),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["hypothesis", "pytest"]},
    zip_safe=True,
    maintainer="Humanoid maintainers",
    maintainer_email="maintainers@example.org",
    description="What a person touches: command line, launch files and configuration.",
    license="Apache-2.0",
    entry_points={"console_scripts": ["humanoid = humanoid_bringup.cli:main"]},
)
